// The states of a booking, and who may take it from one to the next.
#pragma once

#include <boost/describe.hpp>
#include <optional>

namespace negotiation {

BOOST_DEFINE_ENUM_CLASS(State, requested, offered, accepted, declined, confirmed, settled, cancelled, expired)
enum class Step { offer, accept, decline, confirm, settle, cancel, expire };
enum class Party { buyer, seller, box };

// Nothing: the step is out of order, or not this party's.
//
//   requested --offer (seller)--> offered --accept (buyer)--> accepted --confirm (seller)--> confirmed --settle-->
//   settled requested --accept (seller, at the event's price)--> accepted requested, offered --decline (the party whose
//   turn it is)--> declined requested, offered, accepted, confirmed --cancel (either)--> cancelled requested, offered,
//   accepted --expire--> expired
constexpr std::optional<State> next(State state, Step step, Party party) {
  const bool is_open = state == State::requested || state == State::offered;
  const bool is_recipients_turn =
      (state == State::requested && party == Party::seller) || (state == State::offered && party == Party::buyer);
  switch (step) {
    case Step::offer:
      if (is_open && party == Party::seller) return State::offered;
      break;
    case Step::accept:
      if (is_recipients_turn) return State::accepted;
      break;
    case Step::decline:
      if (is_recipients_turn) return State::declined;
      break;
    case Step::confirm:
      if (state == State::accepted && party == Party::seller) return State::confirmed;
      break;
    case Step::settle:
      if (state == State::confirmed && party == Party::box) return State::settled;
      break;
    case Step::cancel:
      if ((is_open || state == State::accepted || state == State::confirmed) && party != Party::box)
        return State::cancelled;
      break;
    case Step::expire:
      if ((is_open || state == State::accepted) && party == Party::box) return State::expired;
      break;
  }
  return std::nullopt;
}

// Whether a booking in this state has its tickets.
constexpr bool holds_tickets(State state) {
  return state != State::declined && state != State::cancelled && state != State::expired;
}

// Whether a booking in this state expires if nothing happens.
constexpr bool may_expire(State state) { return next(state, Step::expire, Party::box).has_value(); }

}  // namespace negotiation
