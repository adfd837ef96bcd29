#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentbox::setting_types {

// Nothing for anything but decimal digits, and for a number outside the bounds.
inline std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t lowest, std::uint64_t highest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest || value > highest) return {};
  return value;
}

inline std::string range(std::uint64_t lowest, std::uint64_t highest) {
  return "must be a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest);
}

}  // namespace agentbox::setting_types
