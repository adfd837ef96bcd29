#include "appliance/network/skills/booking_settlement.h"

#include <string>

namespace skills {

namespace {

using negotiation::Booking;
using negotiation::State;
using payments::Usdc;

// The transfers of a booking; a reference moves money once.
std::string reference(std::int64_t booking, std::string_view step) {
  return "booking/" + std::to_string(booking) + "/" + std::string(step);
}
constexpr std::string_view hold_step = "hold", release_step = "release", refund_step = "refund";

ledger::Account escrow() { return ledger::of_box("escrow"); }
ledger::Account account_of_buyer(const Booking& booking) {
  return ledger::of_agent(booking.buyer_owner, booking.buyer);
}
ledger::Account account_of_seller(const Booking& booking) {
  return ledger::of_agent(booking.seller_owner, booking.seller);
}

// Prices have six decimals at most, as USDC has.
Usdc booking_price(const Booking& booking) { return Usdc::parse(booking.price.to_string()).value(); }

std::string memo_of(const Booking& booking) { return std::to_string(booking.tickets) + " x " + booking.event_name; }

web::Error no_such_booking() { return web::not_found("No such booking"); }

web::Error out_of_order(const SettledBooking& now, std::string message) {
  auto error = web::conflict(std::move(message));
  error.extra["status"] = boost::describe::enum_to_string(now.booking.state, "");
  error.extra["escrow"] = boost::describe::enum_to_string(now.escrow, "");
  return error;
}

}  // namespace

std::optional<store::Row<Booking>> BookingSettlement::find(store::UserId user, std::int64_t id) const {
  auto row = system_.get(negotiation::bookings, id);
  if (!row || (row->value.buyer_owner != user && row->value.seller_owner != user)) return std::nullopt;
  return row;
}

Escrow BookingSettlement::escrow_of(std::int64_t booking) const {
  if (ledger_.find(reference(booking, release_step))) return Escrow::released;
  if (ledger_.find(reference(booking, refund_step))) return Escrow::refunded;
  return ledger_.find(reference(booking, hold_step)) ? Escrow::held : Escrow::none;
}

SettledBooking BookingSettlement::now(std::int64_t booking) const {
  return {.booking = system_.get(negotiation::bookings, booking)->value, .escrow = escrow_of(booking)};
}

void BookingSettlement::post_hold(store::Change& change, const Booking& booking) const {
  ledger_.post(change, {.reference = reference(booking.id, hold_step),
                        .from = account_of_buyer(booking),
                        .to = escrow(),
                        .amount = booking_price(booking),
                        .memo = memo_of(booking)});
}

web::Task<web::Result<SettledBooking>> BookingSettlement::hold(store::UserId user, std::int64_t id) {
  for (;;) {
    const auto row = find(user, id);
    if (!row) co_return no_such_booking();
    const auto& booking = row->value;
    if (booking.buyer_owner != user) co_return web::forbidden("The buyer pays: this is for the buyer's owner.");
    if (escrow_of(id) != Escrow::none) co_return now(id);
    if (booking.state != State::accepted && booking.state != State::confirmed)
      co_return out_of_order(now(id), "The price is held once the booking is accepted.");
    if (!booking_price(booking).is_positive())
      co_return web::conflict("The booking costs nothing: there is nothing to hold.");
    auto change = system_.change();
    change.require(negotiation::bookings, *row);
    post_hold(change, booking);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return now(id);
    const auto refused = ledger::Ledger::refusal(outcome);
    if (refused && refused->kind == web::Kind::payment_required) co_return *refused;
  }
}

web::Task<web::Result<SettledBooking>> BookingSettlement::settle(store::UserId user, std::int64_t id) {
  for (;;) {
    const auto row = find(user, id);
    if (!row) co_return no_such_booking();
    const auto& booking = row->value;
    if (booking.state == State::settled) co_return now(id);
    const auto held = ledger_.find(reference(id, hold_step));
    if (booking.state != State::confirmed)
      co_return out_of_order(now(id), "A booking is settled once the seller has confirmed it.");
    if (!held && booking.buyer_owner != user)
      co_return web::forbidden("The price is not in escrow: the buyer's owner holds or pays it.");
    auto change = system_.change();
    const auto settled = negotiation_.settle(change, id);
    if (!settled) continue;  // a step came in between
    const auto amount = held ? Usdc::of_micro(held->amount) : booking_price(booking);
    if (amount.is_positive()) {
      if (!held) post_hold(change, booking);
      ledger_.post(change, {.reference = reference(id, release_step),
                            .from = escrow(),
                            .to = account_of_seller(booking),
                            .amount = amount,
                            .memo = memo_of(booking)});
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return now(id);
    const auto refused = ledger::Ledger::refusal(outcome);
    if (refused && refused->kind == web::Kind::payment_required) co_return *refused;
  }
}

web::Task<web::Result<SettledBooking>> BookingSettlement::refund(store::UserId user, std::int64_t id) {
  for (;;) {
    const auto row = find(user, id);
    if (!row) co_return no_such_booking();
    const auto& booking = row->value;
    const auto escrow_now = escrow_of(id);
    if (escrow_now == Escrow::refunded) co_return now(id);
    const bool is_over =
        booking.state == State::cancelled || booking.state == State::expired || booking.state == State::declined;
    if (!is_over || escrow_now != Escrow::held)
      co_return out_of_order(now(id),
                             "Only a price in escrow is given back, once the booking is cancelled or has expired.");
    const auto held = ledger_.find(reference(id, hold_step));
    auto change = system_.change();
    change.require(negotiation::bookings, *row);
    ledger_.post(change, {.reference = reference(id, refund_step),
                          .from = escrow(),
                          .to = account_of_buyer(booking),
                          .amount = Usdc::of_micro(held->amount),
                          .memo = memo_of(booking)});
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return now(id);
  }
}

std::vector<SettledBooking> BookingSettlement::of_user(store::UserId user, std::size_t limit) const {
  std::vector<SettledBooking> found;
  for (auto& booking : negotiation_.of_user(user, limit)) {
    const auto escrow_now = escrow_of(booking.id);
    found.push_back({.booking = std::move(booking), .escrow = escrow_now});
  }
  return found;
}

}  // namespace skills
