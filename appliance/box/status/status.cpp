#include "appliance/box/status/status.h"

#include <algorithm>

namespace status {

std::vector<Part> parts_of(const Checks& checks) {
  const auto state = [](bool works) { return works ? State::up : State::degraded; };
  return {{.name = "box", .state = State::up},
          {.name = "store", .state = state(checks.store_works())},
          {.name = "models", .state = state(checks.models_work())},
          {.name = "agents", .state = state(checks.agents_work())}};
}

State overall(const std::vector<Part>& parts) {
  const bool all_up = std::ranges::all_of(parts, [](const Part& part) { return part.state == State::up; });
  return all_up ? State::up : State::degraded;
}

}  // namespace status
