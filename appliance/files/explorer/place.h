// A folder that requests look into.
#pragma once

#include <filesystem>

namespace explorer {

struct Place {
  std::filesystem::path folder;
  // An agent's, which may write anything there, its repository's configuration included. False: the operator's own
  // folder, whose repository may be pushed to any remote.
  bool is_workspace = false;
};

}  // namespace explorer
