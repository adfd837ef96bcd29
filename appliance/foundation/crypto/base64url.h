// base64url without padding (RFC 4648, section 5), as in JOSE.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crypto {

std::string to_base64url(std::string_view bytes);
// Accepts only canonical encodings: no padding, no white space, no stray bits at the end. Two texts never decode to the
// same bytes, so a signed text has only one spelling.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace crypto
