// One commit as git show displays it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/log.h"

struct git_repository;

namespace git {

struct ShownCommit {
  Commit commit;
  std::string message, email;        // full message; author's address; in the commit's encoding
  std::vector<std::string> parents;  // hashes
  struct File {
    char status = 'M';  // A D M R T
    std::string path;
    std::optional<std::string> from;  // old path of a renamed file
  };
  std::vector<File> files;             // that differ from the first parent
  std::string patch;                   // of these files; empty when nothing differs
  std::optional<std::string> content;  // of the requested file in this commit
};

struct ShowRequest {
  std::string revision;  // a full or abbreviated hash, or a branch, tag or HEAD; no other notation
  std::string path;      // of one file or folder, literally; empty: everything
  std::size_t max_patch_bytes, max_content_bytes;
};

enum class ShowFault { no_commit, too_large };

struct ShowResult {
  std::optional<ShownCommit> shown;
  ShowFault fault = ShowFault::no_commit;  // if there is no commit
};
// A merge is compared with its first parent. `content` is set if `path` names a file of UTF-8 text within the limit.
// Throws Failure.
ShowResult show(git_repository*, const ShowRequest&);

}  // namespace git
