#include "appliance/payments/statements/currency.h"

#include <algorithm>
#include <array>

namespace payments::statements {

namespace {

constexpr std::array<std::string_view, 16> without_decimals{"bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga",
                                                            "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"};
constexpr std::array<std::string_view, 5> with_three{"bhd", "jod", "kwd", "omr", "tnd"};

std::size_t decimals_of(std::string_view currency) {
  if (std::ranges::find(without_decimals, currency) != without_decimals.end()) return 0;
  return std::ranges::find(with_three, currency) != with_three.end() ? 3 : 2;
}

}  // namespace

std::string decimal_amount(std::int64_t smallest_units, std::string_view currency) {
  const auto decimals = decimals_of(currency);
  const bool is_negative = smallest_units < 0;
  auto digits = std::to_string(smallest_units).substr(is_negative ? 1 : 0);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  if (decimals > 0) digits.insert(digits.size() - decimals, ".");
  return (is_negative ? "-" : "") + digits;
}

}  // namespace payments::statements
