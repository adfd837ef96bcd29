// Negotiates bookings over the bus. Tickets are taken when they are requested, from one counter and in the change that
// accepts the message, so that an event is never oversold.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "appliance/network/bus/action.h"
#include "appliance/network/events/events.h"
#include "appliance/network/negotiation/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace negotiation {

// How long a booking waits for its next step before it expires and its tickets are free again.
inline constexpr std::chrono::minutes patience{30};

// Callable from every thread. All arguments must outlive it.
class Negotiation final : public bus::Action {
 public:
  Negotiation(store::System system, events::Events& events) : system_(std::move(system)), events_(events) {}

  // Messages whose action begins with BOOKING_.
  web::Task<web::Result<bus::Effect>> apply(store::Change&, const bus::Outgoing&, const bus::Participant&) override;
  web::Error over_bound(const store::Outcome&, const bus::Outgoing&) const override;

  // Bookings in which one of the user's agents buys or sells, newest first.
  std::vector<Booking> of_user(store::UserId, std::size_t limit) const;
  // Nothing if the user has no part in it.
  std::optional<Booking> find(store::UserId, std::int64_t booking) const;
  // Adds to the change that a confirmed booking is settled: with the transfer of its price in the same change that
  // happens exactly once. not_found; conflict with its `status` unless it is confirmed.
  web::Result<Booking> settle(store::Change&, std::int64_t booking) const;
  // Expires bookings that have waited too long.
  web::Task<> expire(store::Time now);

 private:
  web::Task<web::Result<bus::Effect>> request(store::Change&, const bus::Outgoing&, const bus::Participant&) const;
  web::Result<bus::Effect> advance(store::Change&, const bus::Outgoing&, const bus::Participant&, Step) const;

  store::System system_;
  events::Events& events_;
};

}  // namespace negotiation
