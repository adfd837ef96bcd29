#include "appliance/billing/subscriptions/plans.h"

#include <array>

namespace billing {

namespace {

constexpr std::array<PlanLimits, 4> table{{
    // price, agents, skills, messages a day, AI tokens a month
    {29, 1, 3, 100, 20'000'000},            // label
    {79, 3, 10, 500, 2'000'000},            // solo
    {199, 10, 25, 2'000, 6'000'000},        // collective
    {499, 100, 100, 10'000, std::nullopt},  // network
}};
constexpr std::array<std::string_view, 4> names{"label", "solo", "collective", "network"};

constexpr std::uint64_t mebibyte = 1u << 20;
constexpr std::array<AgentResources, 4> resources{{
    // memory, cores, processes, storage
    {512 * mebibyte, 1, 64, 100 * mebibyte},       // label
    {512 * mebibyte, 1, 64, 500 * mebibyte},       // solo
    {1'024 * mebibyte, 2, 128, 2'048 * mebibyte},  // collective
    {2'048 * mebibyte, 4, 256, 10'240 * mebibyte}  // network
}};

constexpr std::size_t rank(Plan plan) { return static_cast<std::size_t>(plan); }

}  // namespace

const PlanLimits& limits(Plan plan) { return table.at(rank(plan)); }

const AgentResources& agent_resources(Plan plan) { return resources.at(rank(plan)); }

std::optional<Plan> plan_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Plan>(i);
  return std::nullopt;
}

std::string_view to_string(Plan plan) { return names.at(rank(plan)); }

std::optional<Plan> plan_of_tier(std::string_view tier) {
  if (tier == "starter") return Plan::solo;
  if (tier == "pro") return Plan::collective;
  if (tier == "enterprise") return Plan::network;
  return std::nullopt;
}

bool covers(Plan held, Plan asked) { return rank(held) >= rank(asked); }

int web_proxy_limit(std::string_view tier) {
  if (tier == "pro") return 3;
  if (tier == "enterprise") return 100;
  return 1;
}

int plan_middleware_limit(Plan plan) { return limits(plan).agents; }

std::optional<int> backend_provision_limit(Plan plan) {
  switch (plan) {
    case Plan::solo:
      return 1;
    case Plan::collective:
      return 3;
    case Plan::label:
      return 10;
    case Plan::network:
      break;
  }
  return std::nullopt;
}

}  // namespace billing
