// A body as web/protocol/body_decoder.h decodes it, handed over in pieces.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "web/protocol/body_decoder.h"

namespace web::tests {

struct Decoded {
  std::string text;
  Decoding result = Decoding::ok;
  bool is_complete = false;

  bool is_whole() const { return result == Decoding::ok && is_complete; }
};

// In pieces of `piece()` bytes each. Throws std::logic_error for unknown codings.
template <class Piece>
Decoded decode_cut(std::string_view codings, std::string_view bytes, Piece piece, std::size_t max_bytes = 1u << 24) {
  auto decoder = BodyDecoder::of(codings, max_bytes);
  if (!decoder) throw std::logic_error(decoder.error().message);
  Decoded decoded;
  while (!bytes.empty() && decoded.result == Decoding::ok) {
    const auto next = bytes.substr(0, piece());
    bytes.remove_prefix(next.size());
    decoded.result = decoder->write(next, [&](std::string_view text) {
      decoded.text += text;
      return true;
    });
  }
  decoded.is_complete = decoder->is_complete();
  return decoded;
}

}  // namespace web::tests
