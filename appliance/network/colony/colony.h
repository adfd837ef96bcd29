// A user's colony: all agents as a tree by descent, with their state as the watchdog sees it.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/array.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/fleet/records.h"
#include "appliance/network/fleet/souls.h"
#include "store/store.h"

namespace colony {

struct Member {
  fleet::FleetAgent agent;
  fleet::WatchState watch;
};

struct AgentCounts {
  std::int64_t total = 0, running = 0, starting = 0, stopped = 0, failed = 0;
};
BOOST_DESCRIBE_STRUCT(AgentCounts, (), (total, running, starting, stopped, failed))

struct MemberView {
  std::string id, name;
  agents::Status status;
  std::optional<std::string> statusReason, parentId, specialization;
  std::int64_t generation = 1;
  watchdog::State watchdog = watchdog::State::stopped;
  std::int64_t crashes = 0, repairs = 0;
  store::Time createdAt{};
};
BOOST_DESCRIBE_STRUCT(MemberView, (),
                      (id, name, status, statusReason, parentId, specialization, generation, watchdog, crashes, repairs,
                       createdAt))

// Oldest first.
std::vector<Member> members_of(const store::Tenant&);
AgentCounts counts_of(const std::vector<Member>&);
std::int64_t deepest_generation(const std::vector<Member>&);
// MemberViews with `children`. Clones of agents that have been deleted are roots.
boost::json::array tree_of(const std::vector<Member>&);

}  // namespace colony
