#pragma once

#include <string>
#include <vector>

struct git_repository;

namespace git {

// What git status --porcelain would say of one path.
struct Change {
  char index = ' ', files = ' ';  // against the last commit, and against the index: M A D R C T U ? or a space
  std::string path;               // of a renamed or copied file the new one; a folder ends in '/'

  std::string code() const;  // both letters without spaces: M, ??, UU, AM
};

// `none` are told. `folder`: a folder without tracked files is one entry. `file`: each of its files is.
enum class Untracked { none, folder, file };

struct Changes {
  std::vector<Change> list;  // tracked files by path, then untracked ones by path
  bool is_cut = false;       // there are more
};
// At most `limit`. Nothing in a bare repository. As status.renames says. Throws Failure.
Changes status(git_repository*, Untracked, std::size_t limit);

}  // namespace git
