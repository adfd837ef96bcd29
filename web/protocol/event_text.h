// Server-sent events as text (WHATWG HTML, 9.2.6).
#pragma once

#include <string>
#include <string_view>

namespace web {

// Appends one event. `event` and `id` may be empty and lose their line ends; `data` may have several lines.
void append_event(std::string& out, std::string_view data, std::string_view event = {}, std::string_view id = {});

// The position of the first CR or LF, or npos. Two searches are faster than find_first_of, which calls memchr for every
// byte.
constexpr std::size_t find_line_end(std::string_view text) {
  const auto feed = text.find('\n');
  const auto before = text.substr(0, feed).find('\r');
  return before == std::string_view::npos ? feed : before;
}

}  // namespace web
