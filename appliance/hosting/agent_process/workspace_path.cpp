#include "appliance/hosting/agent_process/workspace_path.h"

namespace agent_process {

bool is_reserved(std::string_view component) {
  const auto name = files::folded(component);
  return files::is_git_folder(component) || files::is_git_modules(component) || name == state_folder ||
         files::is_short_name(name, "agentb");
}

web::Result<files::Components> path_components(std::string_view path) {
  return files::components_of(path, is_reserved);
}

}  // namespace agent_process
