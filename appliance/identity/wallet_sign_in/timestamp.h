#pragma once

#include <optional>
#include <string_view>

#include "store/store.h"

namespace wallet_sign_in {

// RFC 3339's date-time: "2026-01-31T12:00:00Z", with any fraction and any offset; nothing for all else, dates that no
// calendar has among it. What is finer than a millisecond is dropped; a leap second is the last millisecond before it.
std::optional<store::Time> parse_timestamp(std::string_view text);

}  // namespace wallet_sign_in
