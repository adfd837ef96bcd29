#include "appliance/hosting/agent_process/forget.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "appliance/files/root.h"
#include "appliance/hosting/agent_process/workspace_path.h"

namespace agent_process {

web::Result<void> forget_everything(const std::filesystem::path& workspace) {
  std::error_code unknown;
  if (!std::filesystem::exists(workspace, unknown)) return {};  // it has never run
  const auto root = files::Root::open(workspace);
  if (!root) return root.error();
  const auto state = root->open({std::string(state_folder)}, O_RDONLY | O_DIRECTORY);
  if (!state) return state.error().kind == web::Kind::not_found ? web::Result<void>() : state.error();
  for (const auto& name : files::names_in(*state)) {
    const bool remembers = name.starts_with(conversation_file) || name.starts_with(memory_file);
    if (remembers && ::unlinkat(state->get(), name.c_str(), 0) != 0 && errno != ENOENT) return files::error_of(errno);
  }
  return {};
}

}  // namespace agent_process
