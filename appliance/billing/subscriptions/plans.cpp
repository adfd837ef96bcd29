#include "appliance/billing/subscriptions/plans.h"

#include <array>

namespace billing {

namespace {

constexpr std::uint64_t mebibyte = 1u << 20;

struct PlanRow {
  Plan plan;
  PlanLimits limits;
  AgentResources resources;
  std::int64_t agent_day_cents;
};
constexpr std::array<PlanRow, 4> plan_rows{{
    // price, agents, skills, messages a day, AI tokens a month; memory, cores, processes, storage; cents a day
    {Plan::label, {29, 1, 3, 100, 20'000'000}, {512 * mebibyte, 1, 64, 100 * mebibyte}, 500},
    {Plan::solo, {79, 3, 10, 500, 2'000'000}, {512 * mebibyte, 1, 64, 500 * mebibyte}, 1'000},
    {Plan::collective, {199, 10, 25, 2'000, 6'000'000}, {1'024 * mebibyte, 2, 128, 2'048 * mebibyte}, 2'500},
    {Plan::network, {499, 100, 100, 10'000, std::nullopt}, {2'048 * mebibyte, 4, 256, 10'240 * mebibyte}, 10'000},
}};

constexpr std::size_t rank(Plan plan) { return static_cast<std::size_t>(plan); }

const PlanRow& row_of(Plan plan) { return plan_rows.at(rank(plan)); }

}  // namespace

const PlanLimits& limits(Plan plan) { return row_of(plan).limits; }

const AgentResources& agent_resources(Plan plan) { return row_of(plan).resources; }

std::int64_t agent_day_cents(Plan plan) { return row_of(plan).agent_day_cents; }

std::optional<Plan> plan_named(std::string_view name) {
  for (const auto& row : plan_rows)
    if (to_string(row.plan) == name) return row.plan;
  return std::nullopt;
}

std::string_view to_string(Plan plan) { return boost::describe::enum_to_string(plan, ""); }

std::string plan_names(std::string_view last_separator) {
  std::string names;
  for (const auto& row : plan_rows) {
    const bool is_first = row.plan == plan_rows.front().plan, is_last = row.plan == plan_rows.back().plan;
    if (!is_first) names += is_last ? last_separator : ", ";
    names += to_string(row.plan);
  }
  return names;
}

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

std::optional<int> generation_limit(Plan plan) {
  switch (plan) {
    case Plan::label:
      return 2;
    case Plan::solo:
      return 3;
    case Plan::collective:
      return 5;
    case Plan::network:
      break;
  }
  return std::nullopt;
}

}  // namespace billing
