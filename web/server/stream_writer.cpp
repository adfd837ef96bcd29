#include "web/server/stream_writer.h"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <charconv>

#include "web/protocol/event_text.h"

namespace web {

Task<> StreamWriter::event(std::string_view data, std::string_view event, std::string_view id) {
  std::string text;
  append_event(text, data, event, id);
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
  std::string_view first(size_line.data(), size_bytes), second = bytes;
  // A few bytes are sent at once; a large body yields to other work first.
  constexpr std::size_t few_bytes = 4096;
  if (bytes.size() <= few_bytes) {
    bytes.insert(0, first);
    first = {};
    second = bytes;
    second.remove_prefix(wire_.try_write(second));
    if (second.empty()) co_return;
  }
  auto error = co_await wire_.write(first, second, write_time_);
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
