#pragma once

#include <string>
#include <vector>

struct git_repository;

namespace git {

// One path in the output of git status --porcelain.
struct Change {
  char index = ' ', files = ' ';  // against the last commit, and against the index: M A D R C T U ? or a space
  std::string path;               // new path of a renamed or copied file; folders end in '/'

  std::string code() const;  // both letters without spaces: M, ??, UU, AM
};

// How untracked files are listed. `folder`: a folder without tracked files is one entry. `file`: each file is.
enum class Untracked { none, folder, file };

struct Changes {
  std::vector<Change> list;   // tracked files by path, then untracked ones by path
  bool is_truncated = false;  // there are more than `limit`
};
// At most `limit`. Empty in a bare repository. Observes status.renames. Throws Failure.
Changes status(git_repository*, Untracked, std::size_t limit);

}  // namespace git
