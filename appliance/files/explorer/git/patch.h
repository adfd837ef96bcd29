// Differences as text. For sources that use libgit2.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/path_list.h"

namespace git {

// Compares like git diff: these files and folders, or everything if there are none.
class PatchOptions {
 public:
  // Returns whether to include a difference; may modify it. Must not throw.
  using Filter = std::function<bool(git_diff_delta&)>;

  explicit PatchOptions(std::vector<std::string> paths, Filter counts = {});
  PatchOptions(const PatchOptions&) = delete;
  const git_diff_options& get() const { return options_; }

 private:
  const PathList paths_;
  const Filter counts_;
  git_diff_options options_ = GIT_DIFF_OPTIONS_INIT;
};

// The difference of one file, as git diff prints it.
struct FilePatch {
  std::string path, text;  // new path of a renamed file
};

// Detects renames in `diff`, unless diff.renames is off; copies are always new files. nullopt if the text would be
// larger than `max_bytes`. Files over 8 MB are shown as binary. Throws Failure.
std::optional<std::vector<FilePatch>> patches_of(git_repository*, git_diff* diff, std::size_t max_bytes);
// One patch that git apply accepts.
std::string joined(const std::vector<FilePatch>&);

}  // namespace git
