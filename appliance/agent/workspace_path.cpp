#include "appliance/agent/workspace_path.h"

#include <algorithm>

#include "web/ascii.h"

namespace agent_process {

namespace {

constexpr std::size_t max_conversation_name = 64;

}  // namespace

bool is_conversation_name(std::string_view name) {
  return !name.empty() && name.size() <= max_conversation_name &&
         std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_reserved(std::string_view component) {
  const auto name = files::folded(component);
  return files::is_git_folder(component) || files::is_git_modules(component) || name == state_folder ||
         files::is_short_name(name, "agentb");
}

web::Result<files::Components> path_components(std::string_view path) {
  return files::components_of(path, is_reserved);
}

}  // namespace agent_process
