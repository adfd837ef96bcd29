#include "appliance/files/explorer/git/shallow.h"

#include <fcntl.h>

#include <algorithm>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/root.h"
#include "web/ascii.h"

namespace git {

namespace {

constexpr std::size_t max_shallow_bytes = 16u << 20;

}  // namespace

// The format of the file (gitformat-shallow): one hash a line.
Shallow::Shallow(git_repository* repository) {
  const auto path = std::string(git_repository_commondir(repository)) + "shallow";
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file) return;
  const auto text = files::read_text(file, max_shallow_bytes);
  if (!text) throw Failure("git could not read where the shallow clone ends: " + text.error().message);
  for (std::string_view rest = text->content; !rest.empty();) {
    const auto line = web::first_line(rest);
    ends_.emplace(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
}

bool Shallow::ends_at(const git_oid& id) const { return !ends_.empty() && ends_.contains(text_of(id)); }

std::vector<git_oid> Shallow::parents_of(const git_commit* commit) const {
  std::vector<git_oid> parents;
  if (ends_at(*git_commit_id(commit))) return parents;
  for (unsigned i = 0; i < git_commit_parentcount(commit); ++i) parents.push_back(*git_commit_parent_id(commit, i));
  return parents;
}

}  // namespace git
