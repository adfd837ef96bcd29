// A folder that requests look into.
#pragma once

#include <filesystem>

namespace explorer {

struct Place {
  std::filesystem::path folder;
  // An agent's: whoever writes there must not reach further through the explorer than by himself. False: the operator's
  // own folder, whose repository may refer to others and push to any remote.
  bool is_workspace = false;
};

}  // namespace explorer
