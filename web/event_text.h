// Server-sent events as text (WHATWG HTML, 9.2.6).
#pragma once

#include <string>
#include <string_view>

namespace web {

// One event; `event` and `id` may be empty and lose line ends, data may have several lines.
void append_event(std::string& out, std::string_view data, std::string_view event = {}, std::string_view id = {});

// Where the first CR or LF is, or npos. Asks for one after the other: find_first_of calls memchr for every byte.
constexpr std::size_t find_line_end(std::string_view text) {
  const auto feed = text.find('\n');
  const auto before = text.substr(0, feed).find('\r');
  return before == std::string_view::npos ? feed : before;
}

}  // namespace web
