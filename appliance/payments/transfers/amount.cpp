#include "appliance/payments/transfers/amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace transfers {

namespace {

constexpr std::size_t decimals = 6;
constexpr std::size_t longest = 100;

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The number's shortest decimal notation, without an exponent; empty if it is not a number above 0.
std::string decimal_of(const boost::json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_int64()) return value.get_int64() > 0 ? std::to_string(value.get_int64()) : std::string();
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  if (!value.is_double() || !std::isfinite(value.get_double()) || value.get_double() <= 0) return {};
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value.get_double(), std::chars_format::fixed);
  return error == std::errc() ? std::string(text.data(), end) : std::string();
}

std::optional<payments::Usdc> rounded(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  auto fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty()) || !is_digits(whole) ||
      !is_digits(fraction))
    return std::nullopt;
  const bool rounds_up = fraction.size() > decimals && fraction[decimals] >= '5';
  fraction = fraction.substr(0, decimals);
  const auto cut =
      payments::Usdc::parse(fraction.empty() ? std::string(whole) : std::string(whole).append(".").append(fraction));
  if (!cut || !rounds_up) return cut;
  if (cut->micro() == payments::Usdc::most_micro) return std::nullopt;
  return *cut + payments::Usdc::of_micro(1);
}

}  // namespace

web::Result<payments::Usdc> amount_of(const boost::json::value& value, const std::string& field) {
  const std::string text = decimal_of(value);
  const auto amount = text.size() <= longest || value.is_double() ? rounded(text) : std::nullopt;
  if (!amount)
    return web::invalid(field + " must be a positive number, as a number or as plain decimal text, of at most " +
                        payments::Usdc::of_micro(payments::Usdc::most_micro).to_string());
  if (!amount->is_positive()) return web::invalid(field + " must be at least 0.000001 once rounded to six decimals");
  return *amount;
}

}  // namespace transfers
