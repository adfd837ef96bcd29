#include "appliance/payments/usdc.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace payments {

namespace {

constexpr std::size_t decimals = 6;
constexpr std::size_t max_digits = 19;  // of any std::int64_t
constexpr std::size_t longest_text = 100;

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The number's shortest decimal notation, without an exponent; empty if it is not a number above 0.
std::string decimal_of(const boost::json::value& value) {
  if (value.is_int64()) return value.get_int64() > 0 ? std::to_string(value.get_int64()) : std::string();
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  if (!value.is_double() || !std::isfinite(value.get_double()) || value.get_double() <= 0) return {};
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value.get_double(), std::chars_format::fixed);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

}  // namespace

Usdc Usdc::of_micro(std::int64_t micro) {
  if (micro > max_micro || micro < -max_micro) throw std::overflow_error("an amount of USDC is out of range");
  return Usdc(micro);
}

std::optional<Usdc> Usdc::parse(std::string_view text) {
  const auto point = text.find('.');
  const auto integer_part = text.substr(0, point);
  const auto fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (integer_part.empty() || (point != std::string_view::npos && fraction.empty()) || fraction.size() > decimals ||
      integer_part.size() > max_digits)
    return std::nullopt;
  std::string digits(integer_part);
  digits.append(fraction).append(decimals - fraction.size(), '0');
  std::int64_t micro = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    const std::int64_t value = digit - '0';
    if (micro > (max_micro - value) / 10) return std::nullopt;
    micro = micro * 10 + value;
  }
  return Usdc(micro);
}

std::optional<Usdc> Usdc::parse_rounded(std::string_view text) {
  const auto point = text.find('.');
  const auto decimals_at = point == std::string_view::npos ? text.size() : point + 1;
  if (text.size() <= decimals_at + decimals) return parse(text);
  if (!is_digits(text.substr(decimals_at))) return std::nullopt;
  const auto cut = parse(text.substr(0, decimals_at + decimals));
  if (!cut || text[decimals_at + decimals] < '5') return cut;
  if (cut->micro() == max_micro) return std::nullopt;
  return *cut + of_micro(1);
}

std::string Usdc::to_string() const {
  const auto magnitude = micro_ < 0 ? -micro_ : micro_;
  std::string text = (micro_ < 0 ? "-" : "") + std::to_string(magnitude / per_one);
  std::string fraction = std::to_string(magnitude % per_one);
  fraction.insert(0, decimals - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

Usdc operator+(Usdc a, Usdc b) { return Usdc::of_micro(a.micro_ + b.micro_); }
Usdc operator-(Usdc a, Usdc b) { return Usdc::of_micro(a.micro_ - b.micro_); }

web::Result<Usdc> parse_amount(const boost::json::value& value, std::string_view field) {
  return parse_amount(value.is_string() ? std::string(value.get_string()) : decimal_of(value), field);
}

web::Result<Usdc> parse_amount(std::string_view text, std::string_view field) {
  const auto amount = text.size() <= longest_text ? Usdc::parse_rounded(text) : std::nullopt;
  const std::string name(field);
  if (!amount)
    return web::invalid(name + " must be a positive number, as a number or as plain decimal text, of at most " +
                        Usdc::of_micro(Usdc::max_micro).to_string());
  if (!amount->is_positive()) return web::invalid(name + " must be at least 0.000001 once rounded to six decimals");
  return *amount;
}

}  // namespace payments
