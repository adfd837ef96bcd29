// Reads the body after a checked head, piece by piece.
#pragma once

#include <optional>
#include <string>

#include "web/protocol/chunk_check.h"
#include "web/protocol/head_check.h"
#include "web/server/input_buffer.h"
#include "web/server/wire.h"

namespace web {

// The message for a body that does not arrive in time.
inline constexpr std::string_view body_late = "The request body did not arrive in time.";

class BodyReader {
 public:
  // `input` begins with the first bytes of the body and keeps the bytes after it. A body over `limit` is refused with
  // 413.
  BodyReader(Wire& wire, InputBuffer& input, Framing framing, std::uint64_t length, std::uint64_t limit)
      : wire_(wire), input_(input), framing_(framing), remaining_(length), chunks_(limit) {}

  struct Piece {
    enum class Kind : std::uint8_t { data, end, refused, closed, late };
    Kind kind = Kind::end;
    std::string_view bytes;  // of data; valid until the next call
    Refusal refusal;         // of refused: invalid framing, or the body is too large
  };
  // Arms the wire with `progress` before it waits for the peer. Without `progress` the caller has set a deadline.
  Task<Piece> next(std::optional<Clock::duration> progress = std::nullopt);
  // Appends the whole body, which must arrive within `time` and without a pause of `stall`. Returns the refusal to
  // send, with status 0 if the peer is gone.
  Task<std::optional<Refusal>> read_all(std::string& into, Clock::duration time, Clock::duration stall);
  bool done() const { return done_; }

 private:
  // A piece of the received bytes, or nothing if more are needed.
  std::optional<Piece> take();

  Wire& wire_;
  InputBuffer& input_;
  Framing framing_;
  std::uint64_t remaining_;
  ChunkDecoder chunks_;
  std::size_t lent_ = 0;  // bytes of the last piece, still in the input
  bool done_ = false;
};

}  // namespace web
