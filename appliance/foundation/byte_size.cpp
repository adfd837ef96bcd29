#include "appliance/foundation/byte_size.h"

#include <charconv>

namespace agentbox {

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  constexpr std::uint64_t highest = 1ull << 60;
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (error != std::errc() || unit.size() > 1) return {};
  constexpr std::string_view units = "KMGT";
  if (!unit.empty() && units.find(unit) == std::string_view::npos) return {};
  const auto shift = unit.empty() ? 0 : 10 * (units.find(unit) + 1);
  if (number > highest >> shift) return {};
  return number << shift;
}

}  // namespace agentbox
