#include "appliance/models/providers/sse.h"

#include "web/protocol/event_text.h"

namespace models {

bool EventReader::feed(std::string_view bytes) {
  while (!ended_ && !bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const auto end = web::find_line_end(bytes);
    if (end == bytes.npos) {
      pending_ += bytes;
      break;
    }
    after_cr_ = bytes[end] == '\r';
    if (pending_.empty()) {
      line(bytes.substr(0, end));
    } else {
      pending_ += bytes.substr(0, end);
      line(pending_);
      pending_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
  return !ended_;
}

void EventReader::line(std::string_view text) {
  if (text.empty()) {
    if (has_data_) ended_ = !on_event_(event_, data_);
    event_.clear();
    data_.clear();
    has_data_ = false;
    return;
  }
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  auto value = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (colon == 0 && on_comment_) on_comment_(value);
  if (name == "event") event_ = value;
  if (name != "data") return;
  if (has_data_) data_ += '\n';
  data_ += value;
  has_data_ = true;
}

}  // namespace models
