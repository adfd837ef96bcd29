// base64 with padding (RFC 4648, section 4), as in HTTP header fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crypto {

std::string to_base64(std::string_view bytes);
// Accepts only canonical encodings: padded to whole groups of four, no white space, no stray bits at the end.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace crypto
