// Views of other capabilities' rows with only what the fleet shows. Never written.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "appliance/hosting/agents/records.h"
#include "appliance/runtime/watchdog/records.h"
#include "store/table.h"

namespace fleet {

struct FleetAgent {
  std::int64_t owner = 0;
  std::string id, name, subdomain, plan, desired;
  boost::json::object config;
  agents::Status status = agents::Status::pending;
  std::string status_reason;
  std::optional<agents::CloneOrigin> descent;
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(FleetAgent, (),
                      (owner, id, name, subdomain, plan, desired, config, status, status_reason, descent, created_at))

inline const store::Owned<FleetAgent> fleet_agents{agents::records.name, &FleetAgent::owner, &FleetAgent::id, {}};

// Without its history.
struct WatchState {
  std::int64_t owner = 0;
  std::string id;
  watchdog::State state = watchdog::State::stopped;
  std::int64_t crashes = 0, repairs = 0;
};
BOOST_DESCRIBE_STRUCT(WatchState, (), (owner, id, state, crashes, repairs))

inline const store::Owned<WatchState> watch_states{watchdog::watches.name, &WatchState::owner, &WatchState::id, {}};

}  // namespace fleet
