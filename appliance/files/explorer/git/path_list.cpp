#include "appliance/files/explorer/git/path_list.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace git {

PathList::PathList(std::vector<std::string> paths) {
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  const auto is_beneath_another = [&](const std::string& path) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (std::ranges::binary_search(paths, path.substr(0, slash))) return true;
    return false;
  };
  std::ranges::copy_if(paths, std::back_inserter(paths_), std::not_fn(is_beneath_another));
  for (auto& path : paths_) pointers_.push_back(path.data());
}

}  // namespace git
