#include "appliance/foundation/chain/amount.h"

#include <algorithm>

#include "web/ascii.h"

namespace chain {

namespace {

std::string without_leading_zeros(std::string digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits;
}

bool is_number(std::string_view text) { return !text.empty() && web::all_digits(text); }

}  // namespace

std::string to_digits(std::string_view word) {
  std::string digits = "0";  // the last one first
  for (const char byte : word) {
    unsigned carry = static_cast<unsigned char>(byte);
    for (char& digit : digits) {
      carry += static_cast<unsigned>(digit - '0') * 256;
      digit = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) digits += static_cast<char>('0' + carry % 10);
  }
  return {digits.rbegin(), digits.rend()};
}

std::string with_point(std::string digits, unsigned decimals) {
  if (decimals == 0) return digits;
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  std::string fraction = digits.substr(digits.size() - decimals);
  digits.resize(digits.size() - decimals);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? digits : digits + "." + fraction;
}

std::optional<std::string> without_point(std::string_view amount, unsigned decimals) {
  const auto point = amount.find('.');
  const std::string_view whole = amount.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "" : amount.substr(point + 1);
  if (!is_number(whole) || (point != std::string_view::npos && !is_number(fraction)) || fraction.size() > decimals)
    return std::nullopt;
  return without_leading_zeros(std::string(whole).append(fraction).append(decimals - fraction.size(), '0'));
}

bool at_least(std::string_view digits, std::string_view other) {
  return digits.size() != other.size() ? digits.size() > other.size() : digits >= other;
}

}  // namespace chain
