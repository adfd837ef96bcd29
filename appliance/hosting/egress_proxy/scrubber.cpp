#include "appliance/hosting/egress_proxy/scrubber.h"

#include <algorithm>
#include <string_view>

namespace egress_proxy {

Scrubber::Scrubber(std::vector<std::pair<std::string, std::string>> patterns) : patterns_(std::move(patterns)) {
  for (const auto& [pattern, by] : patterns_) longest_ = std::max(longest_, pattern.size());
}

// How many of the last bytes may be the begin of a pattern.
std::size_t Scrubber::begun_at_end() const {
  std::size_t begun = 0;
  for (const auto& [pattern, by] : patterns_)
    for (auto size = std::min(pattern.size() - 1, held_.size()); size > begun; --size)
      if (std::string_view(held_).ends_with(std::string_view(pattern).substr(0, size))) begun = size;
  return begun;
}

std::string Scrubber::take(bool is_last) {
  std::string out;
  std::size_t begin = 0;
  while (true) {
    std::size_t found = std::string::npos;
    const std::pair<std::string, std::string>* which = nullptr;
    for (const auto& one : patterns_) {
      const auto at = held_.find(one.first, begin);
      if (at < found || (at == found && at != std::string::npos && which && one.first.size() > which->first.size())) {
        found = at;
        which = &one;
      }
    }
    if (!which) break;
    if (!is_last && held_.size() - found < longest_) {  // it may yet be a longer one
      out.append(held_, begin, found - begin);
      held_.erase(0, found);
      return out;
    }
    out.append(held_, begin, found - begin).append(which->second);
    begin = found + which->first.size();
  }
  const auto kept = is_last ? 0 : std::min(begun_at_end(), held_.size() - begin);
  out.append(held_, begin, held_.size() - begin - kept);
  held_.erase(0, held_.size() - kept);
  return out;
}

std::string Scrubber::feed(std::string_view bytes) {
  if (!is_needed()) return std::string(bytes);
  held_.append(bytes);
  return take(false);
}

std::string Scrubber::finish() { return take(true); }

std::string Scrubber::clean(std::string_view text) const {
  Scrubber whole(patterns_);
  auto begin = whole.feed(text);
  return begin + whole.finish();
}

}  // namespace egress_proxy
