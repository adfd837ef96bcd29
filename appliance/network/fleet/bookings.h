// Bookings of a user's events, as the negotiation keeps them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/store.h"

namespace fleet {

struct Booking {
  std::int64_t id = 0, event_id = 0;
  std::string event_name, status;
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(Booking, (), (id, event_id, event_name, status, created_at))

// Newest first.
using BookingsOf = std::function<std::vector<Booking>(store::UserId)>;

}  // namespace fleet
