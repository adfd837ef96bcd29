#include "appliance/files/explorer/git/diff.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "appliance/files/explorer/git/failure.h"
#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/marks.h"
#include "appliance/files/explorer/git/patch.h"

namespace git {

namespace {

constexpr auto diff_action = "compare the files";
constexpr int our_stage = 2;  // of a conflict, in the index

bool is_within(const std::string& path, const std::string& folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool is_requested(const std::string& path, const std::string& asked) { return asked.empty() || is_within(path, asked); }

// The candidates that match the requested `path`.
std::vector<std::string> requested_paths(const std::vector<std::string>& candidates, const std::string& path) {
  std::vector<std::string> paths;
  for (const auto& candidate : candidates) {
    if (is_requested(candidate, path)) {
      paths.push_back(candidate);
    } else if (is_within(path, candidate)) {
      paths.push_back(path);
    }
  }
  return paths;
}

DiffHandle compare_with_files(git_repository* repository, git_index* index, const PatchOptions& options) {
  return made<DiffHandle>([&](auto** out) { return git_diff_index_to_workdir(out, repository, index, &options.get()); },
                          diff_action);
}

DiffHandle compare_with_commit(git_repository* repository, git_index* index, const PatchOptions& options) {
  const auto commit = head(repository);
  const auto tree = commit
                        ? made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit.get()); }, diff_action)
                        : TreeHandle();
  return made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_index(out, repository, tree.get(), index, &options.get()); },
      diff_action);
}

// A submodule that differs by untracked files alone is no difference to git diff.
bool has_only_untracked_files(git_repository* repository, const git_diff_delta& delta) {
  constexpr unsigned differs = GIT_SUBMODULE_STATUS_WD_ADDED | GIT_SUBMODULE_STATUS_WD_DELETED |
                               GIT_SUBMODULE_STATUS_WD_MODIFIED | GIT_SUBMODULE_STATUS_WD_INDEX_MODIFIED |
                               GIT_SUBMODULE_STATUS_WD_WD_MODIFIED;
  if (delta.old_file.mode != GIT_FILEMODE_COMMIT || delta.new_file.mode != GIT_FILEMODE_COMMIT) return false;
  unsigned flags = 0;
  return git_submodule_status(&flags, repository, delta.new_file.path, GIT_SUBMODULE_IGNORE_UNTRACKED) == 0 &&
         (flags & differs) == 0;
}

// All files except those in `marks`: the ones that libgit2 compares in the same way as git.
PatchOptions::Filter unmarked_files(git_repository* repository, Side side, const Marks& marks) {
  if (side == Side::staged) {
    return [&marks](const git_diff_delta& delta) {
      const std::string_view path = delta.new_file.path;
      return !is_among(marks.unmerged, path) &&
             !(delta.status == GIT_DELTA_ADDED && is_among(marks.intent_to_add, path));
    };
  }
  return [repository, &marks](const git_diff_delta& delta) {
    const std::string_view path = delta.new_file.path;
    return !is_among(marks.unmerged, path) && !is_among(marks.skipped, path) &&
           !(delta.status != GIT_DELTA_DELETED && is_among(marks.intent_to_add, path)) &&
           !has_only_untracked_files(repository, delta);
  };
}

// Files marked by git add -N are new, whatever the index contains for them.
bool show_intent_to_add_as_new(const Marks& marks, git_diff_delta& delta) {
  if (!is_among(marks.intent_to_add, delta.new_file.path)) return true;
  if (delta.status == GIT_DELTA_DELETED) return false;
  delta.status = GIT_DELTA_ADDED;
  delta.nfiles = 1;
  delta.old_file.mode = 0;
  return true;
}

// An index of the entries that git compares differently: our side of conflicts, and only the names of files marked by
// git add -N. Without cached file data, so that every file is read.
IndexHandle index_of_marked(git_index* index, const Marks& marks, const std::vector<std::string>& paths) {
  auto marked = made<IndexHandle>([](auto** out) { return git_index_new(out); }, diff_action);
  for (const auto& path : paths) {
    git_index_entry entry{};
    entry.path = path.c_str();
    entry.mode = GIT_FILEMODE_BLOB;
    if (is_among(marks.unmerged, path)) {
      const auto* side = git_index_get_bypath(index, path.c_str(), our_stage);
      if (!side) continue;
      entry.mode = side->mode;
      entry.id = side->id;
    }
    check(git_index_add(marked.get(), &entry), diff_action);
  }
  return marked;
}

// One comparison, of one side.
class SideComparison {
 public:
  SideComparison(git_repository* repository, Side side, const std::string& asked,
                 const std::optional<DirtyCandidates>& candidates)
      : repository_(repository), side_(side), asked_(asked), candidates_(candidates) {}

  std::optional<std::vector<FilePatch>> run(std::size_t max_bytes) {
    if (candidates_) {
      paths_ = requested_paths(side_ == Side::staged ? candidates_->staged : candidates_->edited, asked_);
      if (paths_.empty()) return std::vector<FilePatch>();
    } else if (!asked_.empty()) {
      paths_.push_back(asked_);
    }
    const auto index = index_of(repository_);
    if (!candidates_) marks_ = marks_of(index.get());  // otherwise there are none
    const PatchOptions options(std::move(paths_), unmarked_files(repository_, side_, marks_));
    const auto usual = side_ == Side::staged ? compare_with_commit(repository_, index.get(), options)
                                             : compare_with_files(repository_, index.get(), options);
    auto patches = patches_of(repository_, usual.get(), max_bytes);
    if (!patches) return std::nullopt;
    const bool has_room = side_ == Side::staged || add_marked(index.get(), max_bytes, *patches);
    if (!has_room) return std::nullopt;
    name_unmerged(*patches);
    return patches;
  }

 private:
  bool add_marked(git_index* index, std::size_t max_bytes, std::vector<FilePatch>& patches) const {
    std::vector<std::string> paths;
    for (const auto* marked : {&marks_.unmerged, &marks_.intent_to_add}) {
      std::ranges::copy_if(*marked, std::back_inserter(paths),
                           [&](const auto& path) { return is_requested(path, asked_); });
    }
    if (paths.empty()) return true;
    const auto entries = index_of_marked(index, marks_, paths);
    const PatchOptions options(std::move(paths),
                               [this](git_diff_delta& delta) { return show_intent_to_add_as_new(marks_, delta); });
    auto more = patches_of(repository_, compare_with_files(repository_, entries.get(), options).get(), max_bytes);
    if (!more || joined(patches).size() + joined(*more).size() > max_bytes) return false;
    std::ranges::move(*more, std::back_inserter(patches));
    return true;
  }

  // Placed before the patch of the same file; sorted by path.
  void name_unmerged(std::vector<FilePatch>& patches) const {
    std::vector<FilePatch> all;
    for (const auto& path : marks_.unmerged) {
      if (is_requested(path, asked_)) all.push_back({.path = path, .text = "* Unmerged path " + path + "\n"});
    }
    std::ranges::move(patches, std::back_inserter(all));
    std::ranges::stable_sort(all, {}, &FilePatch::path);
    patches = std::move(all);
  }

  git_repository* repository_;
  const Side side_;
  const std::string& asked_;
  const std::optional<DirtyCandidates>& candidates_;
  std::vector<std::string> paths_;
  Marks marks_;
};

constexpr int max_attempts = 10;

// The file was written between reading its size and its content; libgit2 has no error code for that.
bool is_file_being_written(const Failure& failure) {
  return std::string_view(failure.what()).ends_with("file changed before we could read it");
}

}  // namespace

std::optional<std::string> diff(git_repository* repository, Side side, const std::string& path, std::size_t max_bytes,
                                const std::optional<DirtyCandidates>& candidates) {
  for (int attempts = 1;; ++attempts) {
    try {
      const auto patches = SideComparison(repository, side, path, candidates).run(max_bytes);
      if (!patches) return std::nullopt;
      return joined(*patches);
    } catch (const Failure& failure) {
      if (!is_file_being_written(failure)) throw;
      if (attempts == max_attempts)
        throw Failure("A file is being written just now: please try again", Failure::Cause::busy);
    }
  }
}

}  // namespace git
