// Paths for libgit2, taken literally.
#pragma once

#include <git2.h>

#include <string>
#include <vector>

namespace git {

class PathList {
 public:
  // Omits duplicates and paths under another of the paths.
  explicit PathList(std::vector<std::string> paths);
  PathList(const PathList&) = delete;

  bool is_empty() const { return paths_.empty(); }
  // Valid while this object exists. For libgit2 an empty list means everything.
  git_strarray get() const { return {.strings = const_cast<char**>(pointers_.data()), .count = pointers_.size()}; }

 private:
  std::vector<std::string> paths_;
  std::vector<char*> pointers_;
};

}  // namespace git
