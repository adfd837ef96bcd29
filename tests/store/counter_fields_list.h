// CounterFields as a list that a failed expectation can print.
#pragma once

#include <vector>

#include "store/counter_fields.h"

namespace store_test {

using List = std::vector<std::int64_t>;
inline List list(const store::CounterFields& fields) { return {fields.begin(), fields.end()}; }

}  // namespace store_test
