// What the index says of single files beyond their versions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct git_index;

namespace git {

// Paths, each list sorted.
struct Marks {
  std::vector<std::string> passed_over;  // not looked at: left out of a sparse checkout, or assumed to be unchanged
  std::vector<std::string> announced;    // git add -N: they will be added, and nothing of them is staged yet
  std::vector<std::string> unmerged;     // in conflict
};

Marks marks_of(git_index*);
bool is_among(const std::vector<std::string>& sorted, std::string_view path);

}  // namespace git
