#include "tests/fuzz/body_target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "web/body_decoder.h"

namespace fuzz {

namespace {

constexpr std::size_t most_bytes = 1u << 20;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

struct Decoded {
  std::string text;
  web::Decoding verdict = web::Decoding::fine;
  bool is_complete = false;

  bool is_whole() const { return verdict == web::Decoding::fine && is_complete; }
};

Decoded decode(std::string_view codings, std::string_view bytes, std::size_t piece) {
  auto decoder = web::BodyDecoder::of(codings, most_bytes);
  Decoded decoded;
  while (!bytes.empty() && decoded.verdict == web::Decoding::fine) {
    const auto next = bytes.substr(0, piece);
    bytes.remove_prefix(next.size());
    decoded.verdict = decoder->write(next, [&](std::string_view text) {
      decoded.text += text;
      return true;
    });
  }
  decoded.is_complete = decoder->is_complete();
  return decoded;
}

}  // namespace

void body(std::string_view bytes) {
  const auto end = std::min(bytes.find('\n'), bytes.size());
  const auto codings = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  if (const auto decoder = web::BodyDecoder::of(codings, most_bytes); !decoder) {
    require(!decoder.error().message.empty(), "a refusal says why");
    return;
  }
  const auto whole = decode(codings, bytes, std::max<std::size_t>(bytes.size(), 1));
  require(whole.text.size() <= most_bytes, "no more comes out than may");
  for (const std::size_t piece : {1u, 2u, 5u}) {
    const auto cut = decode(codings, bytes, piece);
    require(cut.is_whole() == whole.is_whole(), "the verdict does not depend on the cuts");
    // Of a body that ends early brotli may have told more or less before.
    require(cut.text.starts_with(whole.text) || whole.text.starts_with(cut.text), "nor does the text");
    require(!whole.is_whole() || cut.text == whole.text, "nor where it ends");
  }
}

}  // namespace fuzz
