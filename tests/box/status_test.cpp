#include "appliance/box/health/status.h"

#include <gmock/gmock.h>

namespace status_test {

using status::State;
using testing::ElementsAre;

std::vector<State> states_of(const std::vector<status::Part>& parts) {
  std::vector<State> states;
  for (const auto& part : parts) states.push_back(part.state);
  return states;
}

std::vector<status::Part> parts(bool store, bool models, bool agents) {
  return status::parts_of({.store_works = [store] { return store; },
                           .models_work = [models] { return models; },
                           .agents_work = [agents] { return agents; }});
}

TEST(Status, SaysOfEachPartWhetherItWorks) {
  EXPECT_THAT(states_of(parts(true, true, true)), ElementsAre(State::up, State::up, State::up, State::up));
  EXPECT_THAT(states_of(parts(false, true, false)),
              ElementsAre(State::up, State::degraded, State::up, State::degraded));
}

TEST(Status, IsUpOnlyIfAllPartsAre) {
  EXPECT_EQ(status::overall(parts(true, true, true)), State::up);
  EXPECT_EQ(status::overall(parts(true, false, true)), State::degraded);
}

}  // namespace status_test
