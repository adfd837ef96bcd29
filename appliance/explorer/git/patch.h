// Differences as text. For the units that speak to libgit2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/explorer/git/handles.h"
#include "appliance/explorer/git/path_list.h"

namespace git {

// How versions are compared: like git diff, of these files and folders, or of everything when there are none.
class PatchOptions {
 public:
  explicit PatchOptions(std::vector<std::string> paths);
  PatchOptions(const PatchOptions&) = delete;
  const git_diff_options& get() const { return options_; }

 private:
  const PathList paths_;
  git_diff_options options_ = GIT_DIFF_OPTIONS_INIT;
};

// Finds what was renamed in `diff`, then writes it as a patch that git apply takes. Nothing when that would be larger
// than `most_bytes`. Files of more than 8 MB are shown as binary. Throws Failure.
std::optional<std::string> patch_of(git_diff* diff, std::size_t most_bytes);

}  // namespace git
