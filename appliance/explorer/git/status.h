#pragma once

#include <string>
#include <vector>

struct git_repository;

namespace git {

// What git status --porcelain would say of one path.
struct Change {
  char index = ' ', files = ' ';  // against the last commit, and against the index: M A D R T U ? or a space
  std::string path;               // of a renamed file the new one; a folder ends in '/'

  std::string code() const;  // both letters without spaces: M, ??, UU, AM
};

// `folder`: a folder without tracked files is one entry. `file`: each of its files is.
enum class Untracked { folder, file };

struct Changes {
  std::vector<Change> list;  // tracked files by path, then untracked ones by path
  bool is_cut = false;       // there are more
};
// At most `limit`. Nothing in a bare repository. Throws Failure.
Changes status(git_repository*, Untracked, std::size_t limit);

}  // namespace git
