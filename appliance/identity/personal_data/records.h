// Users who are leaving, until nothing is left of them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>

#include "store/table.h"

namespace personal_data {

struct Departure {
  std::int64_t user_id = 0;
  store::Time asked_at{};
};
BOOST_DESCRIBE_STRUCT(Departure, (), (user_id, asked_at))

inline const store::Global<Departure, std::int64_t> account_deletions{
    {.family = "departures", .number = 141}, &Departure::user_id, {}};

}  // namespace personal_data
