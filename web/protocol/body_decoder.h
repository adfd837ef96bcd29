// Decodes the content codings of a response body (RFC 9110, 8.4), with a bound on its size.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "web/protocol/content_coding.h"
#include "web/result.h"

namespace web {

class BodyDecoder {
 public:
  // The supported codings, for Accept-Encoding.
  static constexpr std::string_view codings = "gzip, deflate, br";

  // For a body without codings.
  explicit BodyDecoder(std::size_t max_bytes) : BodyDecoder({}, max_bytes) {}
  // For a body with the codings of a Content-Encoding header, which lists them in the order in which they were applied.
  // Fails for an unknown coding and for more than two; the message is to follow the name of the sender. `max_bytes`
  // bounds the output of every stage, not only of the last.
  static Result<BodyDecoder> of(std::string_view content_encoding, std::size_t max_bytes);

  // Returns false to stop decoding.
  using Sink = std::function<bool(std::string_view)>;
  // Must not be called again after any result but ok. Throws bad_alloc and the sink's exceptions.
  Decoding write(std::string_view bytes, const Sink& sink) { return pass(0, bytes, sink); }
  // False until every coding has reached its end.
  bool is_complete() const;

 private:
  BodyDecoder(std::vector<std::unique_ptr<ContentCoding>> undone, std::size_t max_bytes);
  Decoding pass(std::size_t stage, std::string_view bytes, const Sink& sink);

  std::vector<std::unique_ptr<ContentCoding>> undone_;  // in this order
  std::vector<std::size_t> passed_;                     // bytes before each of them, and after the last
  std::size_t max_bytes_;
};

}  // namespace web
