#include "appliance/files/explorer/git/marks.h"

#include <git2.h>

#include <algorithm>

namespace git {

Marks marks_of(git_index* index) {
  Marks marks;
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const auto* entry = git_index_get_byindex(index, i);
    const bool is_left_out = (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
    const bool is_taken_as_unchanged = (entry->flags & GIT_INDEX_ENTRY_VALID) != 0;
    if (is_left_out || is_taken_as_unchanged) marks.passed_over.emplace_back(entry->path);
    if (entry->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD) marks.announced.emplace_back(entry->path);
    const bool is_one_side = git_index_entry_stage(entry) != 0;
    if (is_one_side && (marks.unmerged.empty() || marks.unmerged.back() != entry->path)) {
      marks.unmerged.emplace_back(entry->path);
    }
  }
  for (auto* paths : {&marks.passed_over, &marks.announced, &marks.unmerged}) std::ranges::sort(*paths);
  return marks;
}

bool is_among(const std::vector<std::string>& sorted, std::string_view path) {
  return std::ranges::binary_search(sorted, path, {}, [](const std::string& one) { return std::string_view(one); });
}

}  // namespace git
