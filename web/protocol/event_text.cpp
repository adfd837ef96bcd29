#include "web/protocol/event_text.h"

namespace web {

namespace {

// A field of an event is one line: line ends are dropped.
void append_event_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
  out += '\n';
}

}  // namespace

void append_event(std::string& out, std::string_view data, std::string_view event, std::string_view id) {
  constexpr std::size_t around = 32;
  out.reserve(out.size() + data.size() + event.size() + id.size() + around);
  if (!id.empty()) append_event_field(out, "id", id);
  if (!event.empty()) append_event_field(out, "event", event);
  for (bool more = true; more;) {
    const auto end = find_line_end(data);
    out += "data: ";
    out += data.substr(0, end);
    out += '\n';
    more = end != std::string_view::npos;
    if (more) data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  out += '\n';
}

}  // namespace web
