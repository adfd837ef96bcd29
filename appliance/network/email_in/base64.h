// base64 with padding (RFC 4648, section 4), as webhooks and mail have it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace email_in {

// Line breaks within are skipped, since mail has them. Nothing for any other stray byte or wrong padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace email_in
