// Reads the body behind a checked head, piece by piece.
#pragma once

#include <optional>
#include <string>

#include "web/chunk_check.h"
#include "web/head_check.h"
#include "web/input_buffer.h"
#include "web/wire.h"

namespace web {

class BodyReader {
 public:
  // `input` begins with the body's first bytes and keeps what comes after the body. `limit`: 413 beyond.
  BodyReader(Wire& wire, InputBuffer& input, Framing framing, std::uint64_t length, std::uint64_t limit)
      : wire_(wire), input_(input), framing_(framing), remaining_(length), chunks_(limit) {}

  struct Piece {
    enum class Kind : std::uint8_t { data, end, refused, closed, late };
    Kind kind = Kind::end;
    std::string_view bytes;  // of data; valid until the next call
    Refusal refusal;         // of refused: the framing is bad or the body too large
  };
  // Before it waits for the peer it arms the wire with `progress` (none: the caller has set a deadline for the whole).
  Task<Piece> next(std::optional<Clock::duration> progress = std::nullopt);
  // Appends all of it, within `time`. What the peer is to be refused with; status 0 when nobody is left to be answered.
  Task<std::optional<Refusal>> read_all(std::string& into, Clock::duration time);
  bool done() const { return done_; }

 private:
  // A piece from what has arrived, or nothing when more is needed.
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
