// Amounts in the smallest unit of a currency, as Stripe has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace payments::statements {

// 1999 of "gbp" is "19.99", 500 of "jpy" is "500".
std::string decimal_amount(std::int64_t smallest_units, std::string_view currency);

}  // namespace payments::statements
