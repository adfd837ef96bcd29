#include "appliance/hosting/schedule/frequency.h"

#include <charconv>

namespace schedule {

namespace {

constexpr std::chrono::minutes least{1}, most = std::chrono::hours(365 * 24);

std::optional<std::chrono::minutes> unit_of(char letter) {
  switch (letter) {
    case 'm':
      return std::chrono::minutes(1);
    case 'h':
      return std::chrono::hours(1);
    case 'd':
      return std::chrono::hours(24);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::chrono::minutes> parse_frequency(std::string_view text) {
  if (text.size() < 2 || text.front() == '0') return std::nullopt;
  const auto unit = unit_of(text.back());
  const char* const end = text.data() + text.size() - 1;
  std::uint32_t number = 0;  // unsigned: from_chars takes no sign then
  const auto [read, failed] = std::from_chars(text.data(), end, number);
  if (!unit || failed != std::errc() || read != end) return std::nullopt;
  const auto frequency = std::chrono::minutes(std::int64_t(number) * unit->count());
  return frequency < least || frequency > most ? std::nullopt : std::optional(frequency);
}

}  // namespace schedule
