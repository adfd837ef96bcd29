#pragma once

#include <optional>
#include <string_view>

#include "store/store.h"

namespace agentbox {

// A date-time of RFC 3339: "2026-01-31T12:00:00Z", with any fraction and any offset. nullopt for anything else,
// including dates that do not exist. Truncated to milliseconds; a leap second becomes the last millisecond before it.
std::optional<store::Time> parse_timestamp(std::string_view text);

}  // namespace agentbox
