// Files as they are: for downloads, pictures and players.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "appliance/files/descriptor.h"
#include "appliance/files/explorer/place.h"
#include "web/conditional.h"
#include "web/result.h"

namespace explorer {

struct Raw {
  files::Descriptor file;
  std::uint64_t size = 0;
  std::string name, type;      // the type is one that no browser runs; see raw_type
  bool is_attachment = false;  // to be saved, not shown
  web::Validators validators;
};

// Opens a regular file of any size. Blocks. Errors as of reading.
web::Result<Raw> open_raw(const Place&, std::string_view path);

// Exactly `size` bytes at `offset`. Blocks. Throws std::runtime_error when the file has become shorter.
std::string read_piece(const files::Descriptor&, std::uint64_t offset, std::size_t size);

// The media type to send a file with that has this name and begins with `beginning`: pictures, sound and films by their
// name, every text (HTML, scripts and SVG too) as text/plain, and application/octet-stream for the rest.
std::string raw_type(std::string_view name, std::string_view beginning);

// The value of Content-Disposition for a file to be saved (RFC 6266, RFC 8187).
std::string attachment(std::string_view name);

}  // namespace explorer
