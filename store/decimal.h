// Exact decimal amounts: whole numbers of 10^-9, so that sums of money never round.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace store {

// Between -9223372036.854775808 and 9223372036.854775807. Arithmetic that leaves this range throws std::overflow_error.
// Stored in records as a JSON string in the form of to_string().
class Decimal {
 public:
  static constexpr std::int64_t units_per_one = 1'000'000'000;

  constexpr Decimal() = default;
  static constexpr Decimal of_units(std::int64_t units) { return Decimal(units); }
  // Plain text such as "12", "-0.5" or "3.000000001". Nothing for anything else: signs other than one leading '-',
  // exponents, blanks, more than nine decimals, numbers out of range.
  static std::optional<Decimal> parse(std::string_view text);

  constexpr std::int64_t units() const { return units_; }
  // The shortest form that parse() reads back: "12", "-0.5", "0".
  std::string to_string() const;

  friend Decimal operator+(Decimal a, Decimal b);
  friend Decimal operator-(Decimal a, Decimal b);
  friend Decimal operator*(Decimal a, std::int64_t times);
  friend Decimal operator*(std::int64_t times, Decimal a) { return a * times; }
  Decimal operator-() const { return Decimal() - *this; }
  Decimal& operator+=(Decimal other) { return *this = *this + other; }
  Decimal& operator-=(Decimal other) { return *this = *this - other; }
  auto operator<=>(const Decimal&) const = default;

 private:
  constexpr explicit Decimal(std::int64_t units) : units_(units) {}
  std::int64_t units_ = 0;
};

}  // namespace store
