// Differences as text. For the units that speak to libgit2.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/path_list.h"

namespace git {

// How versions are compared: like git diff, of these files and folders, or of everything when there are none.
class PatchOptions {
 public:
  // Whether a difference counts; may change how it is told. Must not throw.
  using Filter = std::function<bool(git_diff_delta&)>;

  explicit PatchOptions(std::vector<std::string> paths, Filter counts = {});
  PatchOptions(const PatchOptions&) = delete;
  const git_diff_options& get() const { return options_; }

 private:
  const PathList paths_;
  const Filter counts_;
  git_diff_options options_ = GIT_DIFF_OPTIONS_INIT;
};

// What happened to one file, as git diff prints it.
struct FilePatch {
  std::string path, text;  // of a renamed file the new path
};

// Finds what was renamed in `diff`, unless diff.renames is off, then writes it; copies are new files, whatever it says.
// Nothing when that would be larger than `most_bytes`. Files of more than 8 MB are shown as binary. Throws Failure.
std::optional<std::vector<FilePatch>> patches_of(git_repository*, git_diff* diff, std::size_t most_bytes);
// One patch that git apply takes.
std::string joined(const std::vector<FilePatch>&);

}  // namespace git
