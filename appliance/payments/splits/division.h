// Divides an amount by percentages.
#pragma once

#include <vector>

#include "appliance/payments/usdc.h"
#include "web/result.h"

namespace splits {

// The amounts for `shares`, which are percentages above 0 that add up to 100, to within 0.01. Each is rounded down to
// 0.000001, except for the last, which takes the rest: the amounts add up to `total`. invalid, naming the field
// (recipients), also if an amount would be 0.
web::Result<std::vector<payments::Usdc>> divide(payments::Usdc total, const std::vector<double>& shares);

}  // namespace splits
