#include "tests/fuzz/body_target.h"

#include <algorithm>
#include <string>

#include "tests/fuzz/require.h"
#include "tests/web/decoded.h"
#include "web/protocol/body_decoder.h"

namespace fuzz {

namespace {

constexpr std::size_t max_body_bytes = 1u << 20;

web::tests::Decoded decode_body(std::string_view codings, std::string_view bytes, std::size_t piece) {
  return web::tests::decode_cut(
      codings, bytes, [piece] { return piece; }, max_body_bytes);
}

}  // namespace

void body(std::string_view bytes) {
  const auto end = std::min(bytes.find('\n'), bytes.size());
  const auto codings = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  if (const auto decoder = web::BodyDecoder::of(codings, max_body_bytes); !decoder) {
    require(!decoder.error().message.empty(), "a refusal says why");
    return;
  }
  const auto whole = decode_body(codings, bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole.text.size() <= max_body_bytes, "no more comes out than may");
  for (const std::size_t piece : {1u, 2u, 5u}) {
    const auto cut = decode_body(codings, bytes, piece);
    require(cut.is_whole() == whole.is_whole(), "the result does not depend on the cuts");
    // Of a body that ends early brotli may have told more or less before.
    require(cut.text.starts_with(whole.text) || whole.text.starts_with(cut.text), "nor does the text");
    require(!whole.is_whole() || cut.text == whole.text, "nor where it ends");
  }
}

}  // namespace fuzz
