// base64 with padding (RFC 4648, section 4), as webhook signatures have it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "appliance/foundation/crypto/base64url.h"

namespace bus {

inline std::string to_base64(std::string_view bytes) {
  auto text = crypto::to_base64url(bytes);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

}  // namespace bus
