// Differences as text. For the units that speak to libgit2.
#pragma once

#include <optional>
#include <string>

#include "appliance/explorer/git/handles.h"

namespace git {

// How versions are compared: like git diff, of one file or folder when `path` is not empty, which is taken literally.
class PatchOptions {
 public:
  explicit PatchOptions(std::string path);
  PatchOptions(const PatchOptions&) = delete;
  const git_diff_options& get() const { return options_; }

 private:
  std::string path_;
  char* pattern_ = path_.data();
  git_diff_options options_ = GIT_DIFF_OPTIONS_INIT;
};

// Finds what was renamed in `diff`, then writes it as a patch that git apply takes. Nothing when that would be larger
// than `most_bytes`. Files of more than 8 MB are shown as binary. Throws Failure.
std::optional<std::string> patch_of(git_diff* diff, std::size_t most_bytes);

}  // namespace git
