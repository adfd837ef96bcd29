// One content coding of HTTP (RFC 9110, 8.4.1), undone as its bytes arrive.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace web {

enum class Decoding {
  fine,       // what could be decoded so far has been told
  stopped,    // whoever was told wants no more
  too_large,  // more came out than may
  broken      // the bytes are not of this coding
};

class ContentCoding {
 public:
  using Sink = std::function<Decoding(std::string_view)>;

  virtual ~ContentCoding() = default;
  // Tells `sink` what the bytes decode to, in pieces of bounded size. Returns the first answer of the sink that is not
  // fine, and is not called again after anything but fine. Bytes after the end are ignored, as browsers do. Throws
  // bad_alloc, and what the sink throws.
  virtual Decoding write(std::string_view bytes, const Sink& sink) = 0;
  // What was written is whole: it ends where the coding says so.
  virtual bool is_complete() const = 0;
};

std::unique_ptr<ContentCoding> gzip_coding();     // one or more members, as in a file of several
std::unique_ptr<ContentCoding> deflate_coding();  // in zlib's format, as the standard says, or bare, as some servers do
std::unique_ptr<ContentCoding> brotli_coding();

}  // namespace web
