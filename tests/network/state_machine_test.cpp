// The states of a booking: whole walks, and what holds for every step from every state.
#include "appliance/network/negotiation/state_machine.h"

#include <gtest/gtest.h>

#include <array>

namespace negotiation {
namespace state_machine_test {

constexpr std::array states{State::requested, State::offered, State::accepted,  State::declined,
                            State::confirmed, State::settled, State::cancelled, State::expired};
constexpr std::array steps{Step::offer,  Step::accept, Step::decline, Step::confirm,
                           Step::settle, Step::cancel, Step::expire};
constexpr std::array parties{Party::buyer, Party::seller, Party::box};

TEST(BookingStates, AreWalkedThroughInOrder) {
  EXPECT_EQ(next(State::requested, Step::offer, Party::seller), State::offered);
  EXPECT_EQ(next(State::offered, Step::offer, Party::seller), State::offered);
  EXPECT_EQ(next(State::offered, Step::accept, Party::buyer), State::accepted);
  EXPECT_EQ(next(State::requested, Step::accept, Party::seller), State::accepted);
  EXPECT_EQ(next(State::accepted, Step::confirm, Party::seller), State::confirmed);
  EXPECT_EQ(next(State::confirmed, Step::settle, Party::box), State::settled);
}

TEST(BookingStates, EndWithoutAWayBack) {
  for (const auto state : {State::declined, State::settled, State::cancelled, State::expired})
    for (const auto step : steps)
      for (const auto party : parties) EXPECT_EQ(next(state, step, party), std::nullopt);
}

TEST(BookingStates, GiveTicketsBackOnce) {
  for (const auto state : states)
    for (const auto step : steps)
      for (const auto party : parties)
        if (next(state, step, party)) {
          EXPECT_TRUE(holds_tickets(state));
        }
}

TEST(BookingStates, AreAcceptedOnlyByThePartyThatWasAsked) {
  for (const auto state : states) {
    EXPECT_EQ(next(state, Step::accept, Party::buyer).has_value(), state == State::offered);
    EXPECT_EQ(next(state, Step::accept, Party::seller).has_value(), state == State::requested);
    EXPECT_EQ(next(state, Step::accept, Party::box), std::nullopt);
    for (const auto step : {Step::settle, Step::expire}) {
      EXPECT_EQ(next(state, step, Party::buyer), std::nullopt);
      EXPECT_EQ(next(state, step, Party::seller), std::nullopt);
    }
  }
}

TEST(BookingStates, WaitForPeopleOnlyAWhile) {
  for (const auto state : states)
    EXPECT_EQ(may_expire(state), state == State::requested || state == State::offered || state == State::accepted);
}

}  // namespace state_machine_test
}  // namespace negotiation
