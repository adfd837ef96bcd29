// Bookings of tickets between two agents.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "appliance/network/negotiation/state_machine.h"
#include "store/store.h"

namespace negotiation {

struct Booking {
  std::int64_t id = 0;
  std::int64_t event = 0;
  std::string event_name;
  std::string seller, buyer;                       // agents
  std::int64_t seller_owner = 0, buyer_owner = 0;  // theirs
  std::int64_t tickets = 0;
  store::Decimal price;  // of all tickets, in USDC
  State state = State::requested;
  store::Time created_at, updated_at;
  std::optional<store::Time> expires_at;  // while may_expire(state)
};
BOOST_DESCRIBE_STRUCT(Booking, (),
                      (id, event, event_name, seller, buyer, seller_owner, buyer_owner, tickets, price, state,
                       created_at, updated_at, expires_at))

// The newest first within a user.
inline std::string user_key(store::UserId user) { return store::ordered_bytes(user); }
inline std::string user_key(store::UserId user, std::int64_t booking) {
  return store::ordered_bytes(user) + store::ordered_bytes(-booking);
}

// Both parties' owners have part in a booking, so it belongs to neither.
inline const store::Global<Booking, std::int64_t> bookings{
    {.family = "bookings", .number = 75},
    &Booking::id,
    {{1, "buyer", false, false,
      [](const Booking& booking) { return std::optional(user_key(booking.buyer_owner, booking.id)); }},
     {2, "seller", false, false,
      [](const Booking& booking) { return std::optional(user_key(booking.seller_owner, booking.id)); }},
     store::index<Booking>(3, "expires", &Booking::expires_at)}};

}  // namespace negotiation
