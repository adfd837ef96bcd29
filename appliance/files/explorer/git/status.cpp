#include "appliance/files/explorer/git/status.h"

#include <algorithm>

#include "appliance/files/explorer/git/dirty_candidates.h"
#include "appliance/files/explorer/git/handles.h"
#include "appliance/files/explorer/git/head.h"
#include "appliance/files/explorer/git/marks.h"
#include "appliance/files/explorer/git/patch.h"
#include "appliance/files/explorer/git/path_list.h"
#include "appliance/files/explorer/git/settings.h"

namespace git {

namespace {

constexpr unsigned differs_in_files =
    GIT_STATUS_WT_MODIFIED | GIT_STATUS_WT_DELETED | GIT_STATUS_WT_TYPECHANGE | GIT_STATUS_WT_RENAMED;

char index_letter(unsigned flags) {
  if (flags & GIT_STATUS_INDEX_RENAMED) return 'R';
  if (flags & GIT_STATUS_INDEX_NEW) return 'A';
  if (flags & GIT_STATUS_INDEX_DELETED) return 'D';
  if (flags & GIT_STATUS_INDEX_TYPECHANGE) return 'T';
  return flags & GIT_STATUS_INDEX_MODIFIED ? 'M' : ' ';
}

char files_letter(unsigned flags) {
  if (flags & GIT_STATUS_WT_DELETED) return 'D';
  if (flags & GIT_STATUS_WT_TYPECHANGE) return 'T';
  return flags & (GIT_STATUS_WT_MODIFIED | GIT_STATUS_WT_RENAMED) ? 'M' : ' ';
}

// Derived from which of the three versions of a conflict exist.
void describe_conflict(git_index* index, Change& change) {
  const git_index_entry *ancestor = nullptr, *ours = nullptr, *theirs = nullptr;
  if (git_index_conflict_get(&ancestor, &ours, &theirs, index, change.path.c_str()) != 0) {
    change.index = change.files = 'U';
  } else if (!ancestor) {
    change.index = ours ? 'A' : 'U';
    change.files = theirs ? 'A' : 'U';
  } else {
    change.index = ours ? 'U' : 'D';
    change.files = theirs ? 'U' : 'D';
  }
}

// After git add -N the index has no content for the file, whatever the last commit has.
void describe_intent_to_add(unsigned flags, Change& change) {
  const bool was_committed = (flags & (GIT_STATUS_INDEX_MODIFIED | GIT_STATUS_INDEX_TYPECHANGE)) != 0;
  change.index = was_committed ? 'D' : ' ';
  change.files = flags & GIT_STATUS_WT_DELETED ? 'D' : 'A';
}

Change change_of(const git_status_entry& entry, git_index* index, const Marks& marks) {
  const auto* delta = entry.index_to_workdir ? entry.index_to_workdir : entry.head_to_index;
  Change change;
  change.path = delta->new_file.path ? delta->new_file.path : delta->old_file.path;
  unsigned flags = entry.status;
  if (is_among(marks.skipped, change.path)) flags &= ~differs_in_files;
  if (flags & GIT_STATUS_CONFLICTED) {
    describe_conflict(index, change);
  } else if (is_among(marks.intent_to_add, change.path)) {
    describe_intent_to_add(flags, change);
  } else if (flags & GIT_STATUS_WT_NEW) {
    change.index = flags & GIT_STATUS_INDEX_DELETED ? 'D' : '?';
    change.files = change.index == '?' ? '?' : ' ';
  } else {
    change.index = index_letter(flags);
    change.files = files_letter(flags);
  }
  return change;
}

std::vector<std::string> all_of(const DirtyCandidates& candidates) {
  std::vector<std::string> all;
  for (const auto* paths : {&candidates.staged, &candidates.edited, &candidates.unknown}) {
    all.insert(all.end(), paths->begin(), paths->end());
  }
  return all;
}

// New files in the index that are copies of another file of the last commit that has changed since; sorted. libgit2's
// status detects renames only.
std::vector<std::string> copies_in(git_repository* repository, git_index* index, std::vector<std::string> paths) {
  constexpr auto doing = "find copies";
  const auto commit = head(repository);
  if (!commit) return {};
  const auto tree = made<TreeHandle>([&](auto** out) { return git_commit_tree(out, commit.get()); }, doing);
  const PatchOptions options(std::move(paths));
  const auto diff = made<DiffHandle>(
      [&](auto** out) { return git_diff_tree_to_index(out, repository, tree.get(), index, &options.get()); }, doing);
  git_diff_find_options similar = GIT_DIFF_FIND_OPTIONS_INIT;
  similar.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_COPIES;
  check(git_diff_find_similar(diff.get(), &similar), doing);
  std::vector<std::string> copies;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const auto* delta = git_diff_get_delta(diff.get(), i);
    if (delta->status == GIT_DELTA_COPIED) copies.emplace_back(delta->new_file.path);
  }
  std::ranges::sort(copies);
  return copies;
}

}  // namespace

std::string Change::code() const {
  std::string code;
  for (const char letter : {index, files}) {
    if (letter != ' ') code += letter;
  }
  return code;
}

Changes status(git_repository* repository, Untracked untracked, std::size_t limit) {
  Changes found;
  auto& changes = found.list;
  git_status_options options = GIT_STATUS_OPTIONS_INIT;
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_SORT_CASE_SENSITIVELY;
  const auto pairing = pairing_in_status(repository);
  if (pairing != Pairing::none) options.flags |= GIT_STATUS_OPT_RENAMES_HEAD_TO_INDEX;
  if (untracked != Untracked::none) options.flags |= GIT_STATUS_OPT_INCLUDE_UNTRACKED;
  if (untracked == Untracked::file) options.flags |= GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS;
  const auto candidates = dirty_candidates(repository);
  const PathList paths(candidates ? all_of(*candidates) : std::vector<std::string>());
  if (candidates) {
    if (paths.is_empty()) return found;
    options.flags |= GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH;
    options.pathspec = paths.get();
  }
  const auto index = index_of(repository);
  const auto marks = candidates ? Marks() : marks_of(index.get());
  const auto copies =
      pairing == Pairing::copies
          ? copies_in(repository, index.get(), candidates ? candidates->staged : std::vector<std::string>())
          : std::vector<std::string>();
  const auto list = made<StatusHandle>([&](auto** out) { return git_status_list_new(out, repository, &options); },
                                       "compare the files");
  for (std::size_t i = 0; i < git_status_list_entrycount(list.get()); ++i) {
    auto change = change_of(*git_status_byindex(list.get(), i), index.get(), marks);
    if (change.index == ' ' && change.files == ' ') continue;
    if (change.index == 'A' && is_among(copies, change.path)) change.index = 'C';
    // A file removed from the index that still exists is two lines in git.
    if (change.index == 'D' && git_status_byindex(list.get(), i)->status & GIT_STATUS_WT_NEW) {
      changes.push_back({.index = '?', .files = '?', .path = change.path});
    }
    changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.index == '?', std::string_view(a.path)) < std::pair(b.index == '?', std::string_view(b.path));
  });
  found.is_truncated = changes.size() > limit;
  if (found.is_truncated) changes.resize(limit);
  return found;
}

}  // namespace git
