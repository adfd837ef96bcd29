// Server-sent events, as they arrive (WHATWG HTML, 9.2.6).
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace models {

class EventReader {
 public:
  // Gets each event's name ("" when it has none) and data; lines of data are joined by LF. Returning false ends
  // reading: what follows is dropped.
  using OnEvent = std::function<bool(std::string_view event, std::string_view data)>;
  using OnComment = std::function<void(std::string_view)>;
  explicit EventReader(OnEvent on_event, OnComment on_comment = {})
      : on_event_(std::move(on_event)), on_comment_(std::move(on_comment)) {}

  // Any cut of the stream's bytes, CR LF pairs included. False once on_event has returned false.
  bool feed(std::string_view bytes);

 private:
  void line(std::string_view);

  const OnEvent on_event_;
  const OnComment on_comment_;
  std::string pending_;  // of a line that is not complete
  std::string event_, data_;
  bool has_data_ = false, after_cr_ = false, ended_ = false;
};

}  // namespace models
