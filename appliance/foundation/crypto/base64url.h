// base64url without padding (RFC 4648, section 5), as JOSE has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crypto {

std::string to_base64url(std::string_view bytes);
// Nothing unless the text is the one encoding of some bytes: no padding, no white space, no stray bits at the end. Two
// texts never decode to the same bytes, so what was signed cannot be spelled anew.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace crypto
