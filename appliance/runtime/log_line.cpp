#include "appliance/runtime/log_line.h"

#include <charconv>

namespace runtime {

namespace {

constexpr std::size_t digits = 19;  // of the largest 64-bit number with a sign

}  // namespace

std::string log_position(std::uint64_t position) {
  auto text = std::to_string(position);
  return text.insert(0, text.size() < digits ? digits - text.size() : 0, '0');
}

std::optional<std::uint64_t> parse_log_position(std::string_view text) {
  std::uint64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (text.size() != digits || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return position;
}

}  // namespace runtime
