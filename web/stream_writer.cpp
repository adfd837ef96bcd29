#include "web/stream_writer.h"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>

namespace web {
namespace {

// A field of an event is one line: whatever could begin another one is dropped.
void append_event_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
  out += '\n';
}

}  // namespace

Task<> StreamWriter::event(std::string_view data, std::string_view event, std::string_view id) {
  std::string text;
  text.reserve(data.size() + event.size() + id.size() + 32);
  if (!id.empty()) append_event_field(text, "id", id);
  if (!event.empty()) append_event_field(text, "event", event);
  for (bool more = true; more;) {
    auto end = data.find_first_of("\r\n");
    text += "data: ";
    text += data.substr(0, end);
    text += '\n';
    more = end != std::string_view::npos;
    if (more) data.remove_prefix(end + (data.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  text += '\n';
  return write(std::move(text));
}

Task<> BodyWriter::write(std::string bytes) {
  if (bytes.empty()) co_return;
  co_await writing_.lock();
  Unlock unlock(writing_);
  co_await write_unlocked(std::move(bytes));
}

Task<> BodyWriter::write_unlocked(std::string bytes) {
  std::array<char, 20> size_line{};
  std::size_t size_bytes = 0;
  written_ += bytes.size();
  if (chunked_) {
    auto* end = std::to_chars(size_line.data(), size_line.data() + 16, bytes.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    size_bytes = static_cast<std::size_t>(end - size_line.data());
    bytes += "\r\n";
  }
  auto error = co_await wire_.write({size_line.data(), size_bytes}, bytes, write_time_);
  if (error) throw boost::system::system_error(error);
}

Task<> BodyWriter::finish() {
  co_await writing_.lock();
  Unlock unlock(writing_);
  if (!chunked_) co_return;
  auto error = co_await wire_.write("0\r\n\r\n", {}, write_time_);
  if (error) throw boost::system::system_error(error);
}

void BodyWriter::heartbeat(std::shared_ptr<void> self, std::function<void()> failed) {
  if (!writing_.try_lock()) return;
  boost::asio::co_spawn(wire_.get_executor(), write_unlocked(":\n\n"),
                        [this, self = std::move(self), failed = std::move(failed)](std::exception_ptr error) {
                          writing_.unlock();
                          if (error) failed();
                        });
}

}  // namespace web
