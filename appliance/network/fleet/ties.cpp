#include "appliance/network/fleet/ties.h"

#include "appliance/billing/spans/records.h"
#include "appliance/network/swarms/records.h"

namespace fleet {

namespace {

// From the orchestrator to each member, with a message for the goal.
void add_members(const swarms::Swarm& swarm, std::vector<Tie>& ties) {
  for (const auto& member : swarm.agents)
    if (member != swarm.orchestrator)
      ties.push_back({.from = swarm.orchestrator, .to = member, .messages = 1, .is_swarm = true});
}

}  // namespace

std::vector<Tie> ties_of(const store::Tenant& tenant) {
  std::vector<Tie> ties;
  const auto now = store::now();
  for (const auto& link : tenant.list(spans::links, {.limit = std::size_t(-1), .after = {}}))
    if (const auto messages = spans::last_day(link.messages, now); messages > 0)
      ties.push_back({.from = link.from, .to = link.to, .messages = messages});
  if (tenant.counter(swarms::unfinished_count) == 0) return ties;
  for (const auto& swarm : tenant.list(swarms::swarms, {.limit = std::size_t(swarms::max_stored), .after = {}}))
    if (!swarms::is_finished(swarm.state)) add_members(swarm, ties);
  return ties;
}

}  // namespace fleet
