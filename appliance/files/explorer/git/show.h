// One commit as git show tells of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/log.h"

struct git_repository;

namespace git {

struct ShownCommit {
  Commit commit;
  std::string message, email;        // the whole message; the author's address; both encoded like the commit's texts
  std::vector<std::string> parents;  // hashes
  struct File {
    char status = 'M';  // A D M R T
    std::string path;
    std::optional<std::string> from;  // of a renamed file the old path
  };
  std::vector<File> files;             // that differ from the first parent
  std::string patch;                   // of them; empty when nothing differs
  std::optional<std::string> content;  // of the file that was asked for, as it was then
};

struct ShowOrder {
  std::string revision;  // a full or abbreviated hash, or a branch, tag or HEAD; no other notation
  std::string path;      // of one file or folder, literally; empty: everything
  std::size_t most_patch_bytes, most_content_bytes;
};

enum class ShowFault { no_commit, too_large };

struct ShowResult {
  std::optional<ShownCommit> shown;
  ShowFault fault = ShowFault::no_commit;  // why there is none
};
// A merge is compared with its first parent. `content` is there when `path` names a file of UTF-8 text within the
// bound. Throws Failure.
ShowResult show(git_repository*, const ShowOrder&);

}  // namespace git
