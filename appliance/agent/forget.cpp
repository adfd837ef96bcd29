#include "appliance/agent/forget.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "appliance/agent/conversations.h"
#include "appliance/agent/workspace_path.h"
#include "appliance/files/root.h"

namespace agent_process {

namespace {

constexpr std::size_t max_removed_levels = 64;

// With what is in it. Links are removed, not followed.
web::Result<void> remove_tree(const files::Descriptor& parent, const std::string& name, std::size_t level = 0) {
  if (::unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return files::error_of(errno);
  if (level == max_removed_levels) return web::internal("The folders are nested too deep to be removed.");
  {
    const files::Descriptor folder(files::open_beneath(parent, name.c_str(), O_RDONLY | O_DIRECTORY));
    if (!folder) return errno == ENOENT ? web::Result<void>() : files::error_of(errno);
    for (const auto& child : files::names_in(folder))
      if (auto removed = remove_tree(folder, child, level + 1); !removed) return removed;
  }
  if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return files::error_of(errno);
  return {};
}

// The state folder of a workspace; empty if the agent has never run.
web::Result<files::Descriptor> state_of(const std::filesystem::path& workspace) {
  std::error_code unknown;
  if (!std::filesystem::exists(workspace, unknown)) return files::Descriptor();
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  auto state = root->open({std::string(state_folder)}, O_RDONLY | O_DIRECTORY);
  if (!state && state.error().kind == web::Kind::not_found) return files::Descriptor();
  return state;
}

// Removes a member of this name from a folder below the state folder.
web::Result<void> remove_below(const files::Descriptor& state, std::initializer_list<std::string_view> folders,
                               std::string_view name) {
  files::Descriptor parent;
  for (const auto folder : folders) {
    const auto& above = parent ? parent : state;
    files::Descriptor next(files::open_beneath(above, std::string(folder).c_str(), O_RDONLY | O_DIRECTORY));
    if (!next) return errno == ENOENT ? web::Result<void>() : files::error_of(errno);
    parent = std::move(next);
  }
  return remove_tree(parent, std::string(name));
}

}  // namespace

web::Result<void> forget_conversation(const std::filesystem::path& workspace, std::string_view name) {
  if (!is_conversation_name(name)) return web::invalid("the conversation's name is not valid");
  const auto state = state_of(workspace);
  if (!state) return state.error();
  if (!*state) return {};
  if (name != first_conversation) return remove_below(*state, {conversations_folder}, name);
  for (const auto& file : files::names_in(*state))
    if (file.starts_with(conversation_file))
      if (auto removed = remove_tree(*state, file); !removed) return removed;
  return {};
}

web::Result<void> forget_peer(const std::filesystem::path& workspace, std::string_view peer, std::string_view name) {
  if (!is_conversation_name(peer)) return web::invalid("the peer's name is not valid");
  if (!name.empty() && !is_conversation_name(name)) return web::invalid("the conversation's name is not valid");
  const auto state = state_of(workspace);
  if (!state) return state.error();
  if (!*state) return {};
  if (name.empty()) return remove_below(*state, {peers_folder}, peer);
  return remove_below(*state, {peers_folder, peer, conversations_folder}, name);
}

web::Result<void> forget_everything(const std::filesystem::path& workspace) {
  const auto state = state_of(workspace);
  if (!state) return state.error();
  if (!*state) return {};
  for (const auto& name : files::names_in(*state)) {
    const bool remembers = name.starts_with(conversation_file) || name.starts_with(memory_file) ||
                           name.starts_with(turns_file) || name == conversations_folder || name == peers_folder;
    if (!remembers) continue;
    if (auto removed = remove_tree(*state, name); !removed) return removed;
  }
  return {};
}

}  // namespace agent_process
