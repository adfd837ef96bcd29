// Amounts of USDC, exact: whole numbers of 10^-6, the token's own smallest unit.
#pragma once

#include <boost/json/value.hpp>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"

namespace payments {

// Between -max_micro and max_micro; sums beyond that throw std::overflow_error.
class Usdc {
 public:
  static constexpr std::int64_t per_one = 1'000'000;
  static constexpr std::int64_t max_micro = 1'000'000'000'000 * per_one;

  Usdc() = default;
  // Throws std::overflow_error.
  static Usdc of_micro(std::int64_t micro);
  // Plain decimal text such as "12", "0.5" or "3.000001". Nothing for anything else: signs, exponents, blanks, a point
  // without digits on both sides, more than six decimals, more than max_micro.
  static std::optional<Usdc> parse(std::string_view text);
  // The same, with any number of decimals: rounded to the nearest 0.000001, halves up.
  static std::optional<Usdc> parse_rounded(std::string_view text);

  constexpr std::int64_t micro() const { return micro_; }
  constexpr bool is_positive() const { return micro_ > 0; }
  // The shortest form: "12", "0.5", "-3.000001", "0".
  std::string to_string() const;
  explicit operator std::string() const { return to_string(); }  // in answers

  friend Usdc operator+(Usdc a, Usdc b);
  friend Usdc operator-(Usdc a, Usdc b);
  Usdc operator-() const { return Usdc(-micro_); }
  Usdc& operator+=(Usdc other) { return *this = *this + other; }
  Usdc& operator-=(Usdc other) { return *this = *this - other; }
  auto operator<=>(const Usdc&) const = default;

 private:
  constexpr explicit Usdc(std::int64_t micro) : micro_(micro) {}
  std::int64_t micro_ = 0;
};

// Amounts as clients send them, which every route reads by this: a JSON number, or text as in parse_rounded().
// Must be positive and finite; rounded, and the result must be at least 0.000001. invalid, naming `field`.
web::Result<Usdc> parse_amount(const boost::json::value&, std::string_view field = "amount");
web::Result<Usdc> parse_amount(std::string_view text, std::string_view field = "amount");

}  // namespace payments
