// The plans and their limits as the contract has them, and its three tables of agent limits, each used by another
// route.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace billing {

// In ascending order. Every list of plan names in a message comes from plan_names().
BOOST_DEFINE_ENUM_CLASS(Plan, label, solo, collective, network)

struct PlanLimits {
  int monthly_price_gbp;
  int agents, skills, messages_per_day;
  std::optional<std::int64_t> monthly_tokens;  // not set: unlimited
};
const PlanLimits& limits(Plan);                         // the plans table
std::optional<Plan> plan_named(std::string_view name);  // not set: unknown, or the deprecated free
std::string_view to_string(Plan);
// "label, solo, collective, network", with another separator before the last name if given.
std::string plan_names(std::string_view last_separator = ", ");
// starter is solo, pro is collective, enterprise is network; not set for an unknown tier.
std::optional<Plan> plan_of_tier(std::string_view tier);

// The limits of one agent, whichever engine runs it; a change takes effect at its next start. The contract does not
// specify them (docs/operations.md).
struct AgentResources {
  std::uint64_t memory_bytes;
  double cores;
  unsigned processes;
  std::uint64_t storage_bytes;  // of its files
};
const AgentResources& agent_resources(Plan);

// US cents that one agent may spend in a day (UTC) unless the administrator has set another cap (spending/caps.h). The
// contract does not specify it.
std::int64_t agent_day_cents(Plan);

bool covers(Plan held, Plan asked);  // label < solo < collective < network

// The maximum number of agents, by route. Not set: unlimited.
int web_proxy_limit(std::string_view tier);        // starter 1, pro 3, enterprise 100; else 1
int plan_middleware_limit(Plan);                   // label 1, solo 3, collective 10, network 100
std::optional<int> backend_provision_limit(Plan);  // solo 1, collective 3, label 10, network unlimited

// The deepest generation of clones, where an agent that is no clone is the first. The contract does not specify it.
std::optional<int> generation_limit(Plan);  // label 2, solo 3, collective 5, network unlimited

}  // namespace billing
