#include "appliance/payments/usdc.h"

#include <stdexcept>

namespace payments {

namespace {

constexpr std::size_t decimals = 6;
constexpr std::size_t most_digits = 19;  // of any std::int64_t

}  // namespace

Usdc Usdc::of_micro(std::int64_t micro) {
  if (micro > most_micro || micro < -most_micro) throw std::overflow_error("an amount of USDC is out of range");
  return Usdc(micro);
}

std::optional<Usdc> Usdc::parse(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || (point != std::string_view::npos && fraction.empty()) || fraction.size() > decimals ||
      whole.size() > most_digits)
    return std::nullopt;
  std::string digits(whole);
  digits.append(fraction).append(decimals - fraction.size(), '0');
  std::int64_t micro = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    const std::int64_t value = digit - '0';
    if (micro > (most_micro - value) / 10) return std::nullopt;
    micro = micro * 10 + value;
  }
  return Usdc(micro);
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

}  // namespace payments
