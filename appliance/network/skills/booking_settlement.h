// The skill booking-settlement: the money of bookings, which waits in escrow on the box's ledger.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "appliance/network/negotiation/negotiation.h"
#include "appliance/payments/ledger/ledger.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace skills {

BOOST_DEFINE_ENUM_CLASS(Escrow, none, held, released, refunded)

struct SettledBooking {
  negotiation::Booking booking;
  Escrow escrow = Escrow::none;
};

// Each step moves the booking and its money in one change, so it happens once, wherever the process is killed. Callable
// from every thread; all arguments must outlive it.
class BookingSettlement {
 public:
  BookingSettlement(store::System system, const negotiation::Negotiation& negotiation, const ledger::Ledger& ledger)
      : system_(std::move(system)), negotiation_(negotiation), ledger_(ledger) {}

  // Errors of all: not_found unless the user's agent buys or sells; conflict with `status` and `escrow` if the step is
  // out of order; forbidden if it is the other party's; payment_required with INSUFFICIENT_BALANCE. A step that was
  // taken before is answered as it is now.

  // The buyer's: the price goes into escrow. The booking is accepted or confirmed.
  web::Task<web::Result<SettledBooking>> hold(store::UserId, std::int64_t booking);
  // The booking is confirmed and becomes settled: the price goes to the seller, out of escrow or, for the buyer,
  // through it in the same change.
  web::Task<web::Result<SettledBooking>> settle(store::UserId, std::int64_t booking);
  // The booking was cancelled or has expired: the price goes back to the buyer.
  web::Task<web::Result<SettledBooking>> refund(store::UserId, std::int64_t booking);

  // Newest first.
  std::vector<SettledBooking> of_user(store::UserId, std::size_t limit) const;

 private:
  std::optional<store::Row<negotiation::Booking>> find(store::UserId, std::int64_t booking) const;
  Escrow escrow_of(std::int64_t booking) const;
  SettledBooking now(std::int64_t booking) const;
  void post_hold(store::Change&, const negotiation::Booking&) const;

  store::System system_;
  const negotiation::Negotiation& negotiation_;
  const ledger::Ledger& ledger_;
};

}  // namespace skills
