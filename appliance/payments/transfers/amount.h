// Amounts as clients send them.
#pragma once

#include <boost/json/value.hpp>

#include "appliance/payments/usdc.h"
#include "web/result.h"

namespace transfers {

// A JSON number, or text with plain decimal digits. Must be positive and finite; rounded to the nearest 0.000001, of
// which the result must be at least one. invalid, naming `field`.
web::Result<payments::Usdc> amount_of(const boost::json::value&, const std::string& field = "amount");

}  // namespace transfers
