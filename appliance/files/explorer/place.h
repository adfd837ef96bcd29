// A folder that requests work on.
#pragma once

#include <filesystem>

namespace explorer {

struct Place {
  std::filesystem::path folder;
  // True for an agent's workspace: the agent may write anything there, including the repository's configuration. False
  // for the operator's own folder, whose repository may be pushed to any remote.
  bool is_workspace = false;
};

}  // namespace explorer
