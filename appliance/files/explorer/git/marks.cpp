#include "appliance/files/explorer/git/marks.h"

#include <git2.h>

#include <algorithm>

namespace git {

Marks marks_of(git_index* index) {
  Marks marks;
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const auto* entry = git_index_get_byindex(index, i);
    const bool is_outside_checkout = (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
    const bool is_assumed_unchanged = (entry->flags & GIT_INDEX_ENTRY_VALID) != 0;
    if (is_outside_checkout || is_assumed_unchanged) marks.skipped.emplace_back(entry->path);
    if (entry->flags_extended & GIT_INDEX_ENTRY_INTENT_TO_ADD) marks.intent_to_add.emplace_back(entry->path);
    const bool is_one_side = git_index_entry_stage(entry) != 0;
    if (is_one_side && (marks.unmerged.empty() || marks.unmerged.back() != entry->path)) {
      marks.unmerged.emplace_back(entry->path);
    }
  }
  for (auto* paths : {&marks.skipped, &marks.intent_to_add, &marks.unmerged}) std::ranges::sort(*paths);
  return marks;
}

bool is_among(const std::vector<std::string>& sorted, std::string_view path) {
  return std::ranges::binary_search(sorted, path, {}, [](const std::string& one) { return std::string_view(one); });
}

}  // namespace git
