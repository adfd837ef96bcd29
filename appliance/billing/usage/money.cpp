#include "appliance/billing/usage/money.h"

#include <algorithm>
#include <limits>

namespace usage {

namespace {
constexpr int decimals = 12;
constexpr std::int64_t units_in_dollar = 1'000'000'000'000;
__extension__ using Wide = __int128;

std::int64_t saturated(Wide units) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(std::clamp<Wide>(units, Limits::min(), Limits::max()));
}
}  // namespace

std::optional<Money> Money::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto fraction = point == text.npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || (point != text.npos && fraction.empty()) || fraction.size() > decimals) return std::nullopt;
  std::string digits(whole);
  digits += fraction;
  digits.append(decimals - fraction.size(), '0');
  std::int64_t units = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    if (__builtin_mul_overflow(units, 10, &units) || __builtin_add_overflow(units, digit - '0', &units))
      return std::nullopt;
  }
  return Money(negative ? -units : units);
}

std::string Money::to_string() const {
  const auto magnitude = units_ < 0 ? 0 - static_cast<std::uint64_t>(units_) : static_cast<std::uint64_t>(units_);
  auto fraction = std::to_string(magnitude % units_in_dollar);
  fraction.insert(0, decimals - fraction.size(), '0');
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return (units_ < 0 ? "-" : "") + std::to_string(magnitude / units_in_dollar) + "." + fraction;
}

Money operator+(Money a, Money b) { return Money(saturated(static_cast<Wide>(a.units_) + b.units_)); }
Money operator-(Money a, Money b) { return Money(saturated(static_cast<Wide>(a.units_) - b.units_)); }

Money price_of(std::int64_t tokens, Money per_million) {
  constexpr Wide million = 1'000'000;
  const auto exact = static_cast<Wide>(tokens) * per_million.units();
  return Money::of_units(saturated((exact + (exact > 0 ? million - 1 : 0)) / million));
}

}  // namespace usage
