// How the binary was built. The source of this is written by cmake/build_facts.cmake at each build.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace agentbox {

struct BuildFacts {
  std::string commit;        // 40 hex digits; empty if the sources were in no git work tree
  bool is_modified = false;  // with changes that are not in the commit
  std::string compiler, type, flags;
  std::vector<std::pair<std::string, std::string>> libraries;  // Debian packages and their versions
};

BuildFacts build_facts();

}  // namespace agentbox
