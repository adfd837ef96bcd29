#include "store/decimal.h"

#include <algorithm>
#include <stdexcept>

#include "store/json_reader.h"

namespace store {
namespace {

constexpr std::size_t decimals = 9;

[[noreturn]] void out_of_range() { throw std::overflow_error("decimal: the result is out of range"); }

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty()) || fraction.size() > decimals) return {};
  if (!std::all_of(whole.begin(), whole.end(), is_digit) || !std::all_of(fraction.begin(), fraction.end(), is_digit))
    return {};

  // Summed as a negative number, whose range is the wider one by the lowest value.
  std::int64_t units = 0;
  const auto append = [&units](int digit) {
    return !__builtin_mul_overflow(units, 10, &units) && !__builtin_sub_overflow(units, digit, &units);
  };
  for (const char c : whole)
    if (!append(c - '0')) return {};
  for (std::size_t at = 0; at < decimals; ++at)
    if (!append(at < fraction.size() ? fraction[at] - '0' : 0)) return {};
  if (!negative && __builtin_sub_overflow(std::int64_t{0}, units, &units)) return {};
  return Decimal(units);
}

std::string Decimal::to_string() const {
  auto rest = units_ < 0 ? 0 - static_cast<std::uint64_t>(units_) : static_cast<std::uint64_t>(units_);
  std::string text(units_ < 0 ? "-" : "");
  text += std::to_string(rest / units_per_one);
  rest %= units_per_one;
  if (rest == 0) return text;
  const auto digits = std::to_string(rest);
  text.append(1, '.').append(decimals - digits.size(), '0').append(digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Decimal operator+(Decimal a, Decimal b) {
  Decimal sum;
  if (__builtin_add_overflow(a.units_, b.units_, &sum.units_)) out_of_range();
  return sum;
}

Decimal operator-(Decimal a, Decimal b) {
  Decimal difference;
  if (__builtin_sub_overflow(a.units_, b.units_, &difference.units_)) out_of_range();
  return difference;
}

Decimal operator*(Decimal a, std::int64_t times) {
  Decimal product;
  if (__builtin_mul_overflow(a.units_, times, &product.units_)) out_of_range();
  return product;
}

}  // namespace store
