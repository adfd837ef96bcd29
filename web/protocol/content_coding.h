// An incremental decoder of one HTTP content coding (RFC 9110, 8.4.1).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace web {

enum class Decoding {
  ok,         // all input so far was decoded and passed to the sink
  stopped,    // the sink has stopped the decoding
  too_large,  // the output exceeds its bound
  broken      // the bytes are not valid in this coding
};

class ContentCoding {
 public:
  using Sink = std::function<Decoding(std::string_view)>;

  virtual ~ContentCoding() = default;
  // Passes the decoded bytes to `sink` in pieces of bounded size. Returns the first result of the sink that is not ok;
  // must not be called again after any result but ok. Bytes after the end are ignored, as in browsers. Throws bad_alloc
  // and the sink's exceptions.
  virtual Decoding write(std::string_view bytes, const Sink& sink) = 0;
  // The input has reached the end that the coding defines.
  virtual bool is_complete() const = 0;
};

std::unique_ptr<ContentCoding> gzip_coding();  // one or more members, as in a file of several
std::unique_ptr<ContentCoding>
deflate_coding();  // in zlib's format, as the standard says, or raw, as some servers send it
std::unique_ptr<ContentCoding> brotli_coding();

}  // namespace web
