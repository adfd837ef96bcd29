#include "appliance/network/data_feeds/feed_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <vector>

#include "appliance/foundation/timestamp.h"

namespace data_feeds {

namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
struct Zone {
  std::string_view name;
  std::chrono::hours offset;
};
constexpr std::array<Zone, 12> zones{{{"GMT", 0h},
                                      {"UT", 0h},
                                      {"UTC", 0h},
                                      {"Z", 0h},
                                      {"EST", -5h},
                                      {"EDT", -4h},
                                      {"CST", -6h},
                                      {"CDT", -5h},
                                      {"MST", -7h},
                                      {"MDT", -6h},
                                      {"PST", -8h},
                                      {"PDT", -7h}}};

std::optional<int> number(std::string_view digits) {
  int value = 0;
  const auto* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || at != end || digits.empty() || digits.front() == '-') return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<std::chrono::sys_days> date_of(std::string_view day, std::string_view month, std::string_view year) {
  const auto named = std::ranges::find(months, month);
  const auto d = number(day), y = number(year);
  if (named == months.end() || !d || !y || (year.size() != 2 && year.size() != 4)) return std::nullopt;
  // Two digits: as RFC 2822 reads them.
  const int full = year.size() == 4 ? *y : *y + (*y < 50 ? 2000 : 1900);
  const std::chrono::year_month_day date{std::chrono::year(full),
                                         std::chrono::month(static_cast<unsigned>(named - months.begin() + 1)),
                                         std::chrono::day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::optional<std::chrono::seconds> time_of_day(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  const auto hour = number(parts[0]), minute = number(parts[1]);
  const auto second = parts.size() == 3 ? number(parts[2]) : std::optional(0);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

std::optional<std::chrono::minutes> offset_of(std::string_view zone) {
  if (const auto* named = std::ranges::find(zones, zone, &Zone::name); named != zones.end()) return named->offset;
  if (zone.size() != 5 || (zone.front() != '+' && zone.front() != '-')) return std::nullopt;
  const auto hours = number(zone.substr(1, 2)), minutes = number(zone.substr(3));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const auto offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return zone.front() == '-' ? -offset : offset;
}

}  // namespace

std::optional<store::Time> parse_feed_date(std::string_view text) {
  if (auto time = agentbox::parse_timestamp(text)) return time;
  auto parts = split(text, ' ');
  if (!parts.empty() && parts.front().ends_with(',')) parts.erase(parts.begin());  // the day of the week
  if (parts.size() != 5) return std::nullopt;
  const auto date = date_of(parts[0], parts[1], parts[2]);
  const auto time = time_of_day(parts[3]);
  const auto offset = offset_of(parts[4]);
  if (!date || !time || !offset) return std::nullopt;
  return store::Time(*date + *time - *offset);
}

}  // namespace data_feeds
