// The plans of the contract ('Plans', 'Limits') as data, and the three agent-limit tables, each at its own route.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace billing {

BOOST_DEFINE_ENUM_CLASS(Plan, label, solo, collective, network)

struct PlanLimits {
  int monthly_price_gbp;
  int agents, skills, messages_per_day;
  std::optional<std::int64_t> monthly_tokens;  // nothing: unlimited
};
const PlanLimits& limits(Plan);                         // the plans table
std::optional<Plan> plan_named(std::string_view name);  // nothing for unknown names and the deprecated free
std::string_view to_string(Plan);
// starter is solo, pro is collective, enterprise is network; nothing for an unknown tier.
std::optional<Plan> plan_of_tier(std::string_view tier);
// What one agent may use, whichever engine runs it, from its next start on. The contract names no figures: these are
// the box's own (docs/operations.md).
struct AgentResources {
  std::uint64_t memory_bytes;
  double cores;
  unsigned processes;
  std::uint64_t storage_bytes;  // of its files
};
const AgentResources& agent_resources(Plan);

bool covers(Plan held, Plan asked);  // label < solo < collective < network

// Agent count by route. Nothing: unlimited.
int web_proxy_limit(std::string_view tier);        // starter 1, pro 3, enterprise 100; else 1
int plan_middleware_limit(Plan);                   // label 1, solo 3, collective 10, network 100
std::optional<int> backend_provision_limit(Plan);  // solo 1, collective 3, label 10, network unlimited

}  // namespace billing
