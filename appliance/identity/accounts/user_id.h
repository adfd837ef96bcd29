// User ids are numbers inside and strings in the API.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace accounts {

// A positive integer without sign, spaces or leading zeros; nothing otherwise.
inline std::optional<std::int64_t> parse_user_id(std::string_view text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id <= 0 || text.front() == '0') return std::nullopt;
  return id;
}

}  // namespace accounts
