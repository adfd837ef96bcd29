#include "appliance/without_paths.h"

#include <algorithm>

namespace agentbox {

namespace {

constexpr std::string_view opening = "(\"'`", closing = ")\"'`.,:;";

bool is_within(char c, std::string_view marks) { return marks.find(c) != std::string_view::npos; }

}  // namespace

std::string without_paths(std::string_view sentence) {
  std::string told;
  bool follows_path = false;  // and nothing stands between
  for (std::size_t at = 0; at < sentence.size();) {
    const auto end = std::min(sentence.find(' ', at), sentence.size());
    const auto word = sentence.substr(at, end - at);
    at = end + 1;
    const bool is_path = word.find('/') != std::string_view::npos;
    std::size_t before = 0, after = word.size();
    if (is_path) {
      while (before < after && is_within(word[before], opening)) ++before;
      while (after > before && is_within(word[after - 1], closing)) --after;
    }
    if (is_path && follows_path) {  // a path with a space in it
      told += word.substr(after);
    } else {
      if (!told.empty()) told += ' ';
      if (is_path) told.append(word.substr(0, before)).append("a file");
      told += word.substr(is_path ? after : 0);
    }
    follows_path = is_path && after == word.size();
  }
  return told;
}

}  // namespace agentbox
