// The watchdog's stored state: the state and history of each agent.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/runtime/watchdog/state_machine.h"
#include "store/store.h"
#include "store/table.h"

namespace watchdog {

struct Event {
  store::Time at;
  State state = State::stopped;  // from then on
  std::string reason;            // a sentence or its beginning
};
BOOST_DESCRIBE_STRUCT(Event, (), (at, state, reason))

// Written when the state changes, not with every check, so `last_probe` on disk may be old.
struct Watch {
  std::int64_t owner = 0;
  std::string id;  // the agent's
  State state = State::stopped;
  store::Time since;  // means nothing without a history
  std::optional<store::Time> last_probe;
  std::int64_t crashes = 0;    // unexpected ends of its process since it was created
  std::int64_t repairs = 0;    // attempts, since it was created
  std::vector<Event> history;  // oldest first; at most history_kept
};
BOOST_DESCRIBE_STRUCT(Watch, (), (owner, id, state, since, last_probe, crashes, repairs, history))

inline constexpr std::size_t history_kept = 50;

inline const store::Owned<Watch> watches{{.family = "watchdog", .number = 33}, &Watch::owner, &Watch::id, {}};

}  // namespace watchdog
