// multipart/form-data (RFC 7578 over RFC 2046, 5.1), read as it comes: no piece of the stream has to hold anything
// whole, and nothing but the headers of one part is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"

namespace uploads {

struct PartHead {
  std::string name;
  std::optional<std::string> filename;  // as the client gave it: whatever it likes. Nothing: a plain field
};

// Gets the parts in their order: begin, data as often as need be, end. What they refuse ends the reading.
struct PartSink {
  std::function<web::Result<void>(const PartHead&)> begin;
  std::function<web::Result<void>(std::string_view bytes)> data;
  std::function<web::Result<void>()> end;
};

struct MultipartLimits {
  std::size_t parts = 64;
  std::size_t header_bytes = 4'096;  // of one part
};

// Of a Content-Type. Kind::invalid unless it is multipart/form-data with a boundary of RFC 2046's characters.
web::Result<std::string> boundary_of(std::string_view content_type);

class Multipart {
 public:
  Multipart(std::string_view boundary, PartSink sink, MultipartLimits limits = {})
      : delimiter_("\r\n--" + std::string(boundary)), sink_(std::move(sink)), limits_(limits) {}

  // Kind::invalid with a sentence for what is no such body; nothing may be taken after an error.
  web::Result<void> take(std::string_view bytes);
  // The body has ended. Kind::invalid unless its closing delimiter has come.
  web::Result<void> finish();

 private:
  enum class State { content, headers, epilogue };
  enum class Next { again, more };  // after a step: there may be another one, or bytes are missing

  web::Result<Next> step();
  web::Result<Next> read_content();
  web::Result<Next> read_headers();
  web::Result<void> pass_on(std::size_t size);

  const std::string delimiter_;
  const PartSink sink_;
  const MultipartLimits limits_;
  // A first delimiter stands at the beginning of a line, and the beginning of the body is one. What comes before it is
  // content of nothing, the preamble.
  std::string unread_ = "\r\n";
  State state_ = State::content;
  bool in_part_ = false;
  std::size_t parts_ = 0;
};

}  // namespace uploads
