#include "appliance/network/email_in/base64.h"

#include <algorithm>

#include "appliance/foundation/crypto/base64url.h"

namespace email_in {

std::optional<std::string> from_base64(std::string_view text) {
  std::string digits;
  digits.reserve(text.size());
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    if (c == '-' || c == '_' || (padding > 0 && c != '=')) return std::nullopt;
    if (c == '=') {
      ++padding;
    } else {
      digits += c == '+' ? '-' : c == '/' ? '_' : c;
    }
  }
  if (padding > 2 || (digits.size() + padding) % 4 != 0) return std::nullopt;
  return crypto::from_base64url(digits);
}

}  // namespace email_in
