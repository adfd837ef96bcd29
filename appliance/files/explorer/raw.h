// Raw file contents, for downloads, images and media players.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "appliance/files/explorer/place.h"
#include "appliance/foundation/descriptor.h"
#include "web/protocol/conditional.h"
#include "web/result.h"

namespace explorer {

struct Raw {
  files::Descriptor file;
  std::uint64_t size = 0;
  std::string name, type;  // a type that browsers never execute; see raw_type
  web::Validators validators;
};

// Opens a regular file of any size. Blocks. Errors as for read.
web::Result<Raw> open_raw(const Place&, std::string_view path);

// Reads exactly `size` bytes at `offset`. Blocks. Throws std::runtime_error if the file has become shorter.
std::string read_piece(const files::Descriptor&, std::uint64_t offset, std::size_t size);

// The media type of a file with this name that starts with `beginning`: images, audio and video by their name, every
// text (also HTML, scripts and SVG) as text/plain, application/octet-stream for the rest.
std::string raw_type(std::string_view name, std::string_view beginning);

// The Content-Disposition header for a download (RFC 6266, RFC 8187).
std::string attachment(std::string_view name);

}  // namespace explorer
