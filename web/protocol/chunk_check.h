// A strict incremental decoder of the chunked coding. It does no I/O of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace web {

// The message for a body over the limit, with any framing.
inline constexpr std::string_view body_too_large = "The request body is larger than this server takes.";

// Size lines are hexadecimal digits (at most 16), extensions as in RFC 9112, 7.1.1 (checked and dropped), then exactly
// CRLF; each chunk's data is followed by exactly CRLF; trailers are checked like header fields and dropped.
class ChunkDecoder {
 public:
  // A body of more than `limit` bytes is refused with 413, as soon as the announced sizes exceed the limit.
  explicit ChunkDecoder(std::uint64_t limit) : limit_(limit) {}

  enum class State : std::uint8_t { need_more, data, done, refused };
  struct Step {
    State state = State::need_more;
    std::size_t consumed = 0;  // bytes of the input that were consumed; pass the rest again with more after it
    std::string_view data;     // with State::data: body bytes, within the input
    int status = 0;            // with State::refused: 400, 413 or 431
    std::string_view reason;   // a sentence, static storage
  };
  // Must not be called again after done or refused. Each call returns at most one piece of data.
  Step next(std::string_view input);

  static constexpr std::size_t line_bytes = 256;      // of a size line, with its extension
  static constexpr std::size_t trailer_bytes = 4096;  // of all trailer lines, including the empty one
  static constexpr std::size_t trailer_fields = 20;

 private:
  enum class Expect : std::uint8_t { size_line, data, data_end, trailer };
  Step size_line(std::string_view input);
  Step trailer(std::string_view input);

  std::uint64_t limit_;
  std::uint64_t total_ = 0;      // announced so far
  std::uint64_t remaining_ = 0;  // of the current chunk
  std::size_t trailer_bytes_ = 0, trailer_fields_ = 0;
  Expect expect_ = Expect::size_line;
};

}  // namespace web
