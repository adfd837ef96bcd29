// A streaming parser for multipart/form-data (RFC 7578, RFC 2046 5.1), in time proportional to the bytes. Pieces may be
// split anywhere; only the headers of one part are buffered.
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
  std::optional<std::string> filename;  // untrusted; nullopt for a plain field
};

// Called for each part in order: begin, data any number of times, end. An error ends the parsing.
struct PartSink {
  std::function<web::Result<void>(const PartHead&)> begin;
  std::function<web::Result<void>(std::string_view bytes)> data;
  std::function<web::Result<void>()> end;
};

struct MultipartLimits {
  std::size_t parts = 64;
  std::size_t header_bytes = 4'096;  // of one part
  std::size_t preamble_bytes = 4'096;
};

// Of a Content-Type. Kind::invalid unless it is multipart/form-data with a boundary of RFC 2046's characters.
web::Result<std::string> boundary_of(std::string_view content_type);

class Multipart {
 public:
  Multipart(std::string_view boundary, PartSink sink, MultipartLimits limits = {})
      : delimiter_("\r\n--" + std::string(boundary)), sink_(std::move(sink)), limits_(limits) {}

  // Kind::invalid with a sentence for an invalid body. Must not be called after an error.
  web::Result<void> take(std::string_view bytes);
  // The body has ended. Kind::invalid unless the closing delimiter was received.
  web::Result<void> finish();

 private:
  enum class State { content, headers, epilogue };
  enum class Next { again, more };  // after a step: there may be another one, or bytes are missing

  web::Result<Next> step();
  web::Result<Next> read_content();
  web::Result<Next> read_headers();
  web::Result<void> pass_data(std::size_t size);
  std::string_view unread() const { return std::string_view(received_).substr(at_); }

  const std::string delimiter_;
  const PartSink sink_;
  const MultipartLimits limits_;
  // What was received and not yet read begins at at_. Starts with a line end because the first delimiter may be at the
  // start of the body. Anything before it is the preamble, which is ignored.
  std::string received_ = "\r\n";
  std::size_t at_ = 0;
  std::size_t searched_ = 0;  // of the unread bytes: no end of headers begins among these
  State state_ = State::content;
  bool in_part_ = false;
  std::size_t parts_ = 0, preamble_ = 0;
};

}  // namespace uploads
