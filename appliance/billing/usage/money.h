// Amounts in US dollars, exact: whole numbers of 10^-12 dollars. Prices are dollars for a million tokens with at most
// six decimals, so that price times tokens is always whole. The range is about nine million dollars either way; sums
// beyond it saturate.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usage {

class Money {
 public:
  Money() = default;
  static constexpr Money of_units(std::int64_t units) { return Money(units); }
  // Plain decimal text such as "0.15" or "3". Not set for anything else, more than twelve decimals, or out of range.
  static std::optional<Money> parse(std::string_view text);

  constexpr std::int64_t units() const { return units_; }
  // At least two decimals, no trailing zeros beyond them: "0.00", "1.50", "0.000123".
  std::string to_string() const;

  friend Money operator+(Money a, Money b);
  friend Money operator-(Money a, Money b);
  Money& operator+=(Money other) { return *this = *this + other; }
  auto operator<=>(const Money&) const = default;

 private:
  constexpr explicit Money(std::int64_t units) : units_(units) {}
  std::int64_t units_ = 0;
};

// The cost of `tokens` at `per_million`; exact when the price has at most six decimals, else rounded up. Saturates.
Money price_of(std::int64_t tokens, Money per_million);

}  // namespace usage
