// From the bytes of an answer's body to what they say: its content codings undone (RFC 9110, 8.4), its size bounded.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "web/content_coding.h"
#include "web/result.h"

namespace web {

class BodyDecoder {
 public:
  // What it undoes, for Accept-Encoding.
  static constexpr std::string_view codings = "gzip, deflate, br";

  // Of a body without codings.
  explicit BodyDecoder(std::size_t most_bytes) : BodyDecoder({}, most_bytes) {}
  // Of a body with these codings, in the order in which they were applied: the value of Content-Encoding. An error,
  // whose message follows the name of the sender, for one that is unknown, and for more than two. `most_bytes` is for
  // what comes out and for all that comes in between, so that little can keep nobody busy by being much on the way.
  static Result<BodyDecoder> of(std::string_view content_encoding, std::size_t most_bytes);

  // Returning false: no more is wanted.
  using Sink = std::function<bool(std::string_view)>;
  // Not to be called again after anything but fine. Throws bad_alloc, and what the sink throws.
  Decoding write(std::string_view bytes, const Sink& sink) { return pass(0, bytes, sink); }
  // False while a coding has not come to its end; so, too, before the first byte.
  bool is_complete() const;

 private:
  BodyDecoder(std::vector<std::unique_ptr<ContentCoding>> undone, std::size_t most_bytes);
  Decoding pass(std::size_t stage, std::string_view bytes, const Sink& sink);

  std::vector<std::unique_ptr<ContentCoding>> undone_;  // in this order
  std::vector<std::size_t> passed_;                     // bytes before each of them, and after the last
  std::size_t most_bytes_;
};

}  // namespace web
