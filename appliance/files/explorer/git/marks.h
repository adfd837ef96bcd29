// Flags of single files in the index.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct git_index;

namespace git {

// Paths, each list sorted.
struct Marks {
  std::vector<std::string> skipped;        // not compared: outside a sparse checkout, or marked as unchanged
  std::vector<std::string> intent_to_add;  // git add -N: to be added, but nothing is staged yet
  std::vector<std::string> unmerged;       // in conflict
};

Marks marks_of(git_index*);
bool is_among(const std::vector<std::string>& sorted, std::string_view path);

}  // namespace git
