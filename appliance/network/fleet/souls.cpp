#include "appliance/network/fleet/souls.h"

#include <algorithm>
#include <boost/describe/enum_from_string.hpp>
#include <unordered_map>
#include <unordered_set>

#include "appliance/hosting/installations/installations.h"
#include "appliance/payments/wallets/wallets.h"

namespace fleet {

namespace {

using namespace std::chrono_literals;

constexpr auto active_for = 5min;                               // after a message, run or model call
constexpr auto foreign_idle_for = 1h, foreign_shown_for = 24h;  // after the last span of an agent elsewhere

bool should_run(const FleetAgent& agent) {
  switch (agent.status) {
    case agents::Status::running:
    case agents::Status::provisioning:
    case agents::Status::error:
      return true;
    default:
      return false;
  }
}

std::optional<Role> role_of(const boost::json::object& config) {
  const auto* value = config.if_contains("role");
  const auto* text = value ? value->if_string() : nullptr;
  Role role = Role::specialist;
  if (!text || !boost::describe::enum_from_string(std::string(*text).c_str(), role)) return std::nullopt;
  return role;
}

TurnCounts counts_of(const spans::Activity& activity) {
  return {.succeeded = std::ranges::count(activity.recent, '1'),
          .all = static_cast<std::int64_t>(activity.recent.size())};
}

void add_activity(Soul& soul, const spans::Activity& activity, store::Time now) {
  soul.recent = counts_of(activity);
  soul.turns = activity.turns;
  soul.messages_today = spans::last_day(activity.messages, now);
  if (soul.is_reachable && now - activity.last_at < active_for) soul.status = Status::active;
}

Soul soul_of(const FleetAgent& agent, watchdog::State state) {
  Soul soul;
  soul.id = agent.id;
  soul.name = agent.name;
  soul.role = role_of(agent.config);
  soul.parent = agent.descent ? agent.descent->parent : std::string();
  soul.created_at = agent.created_at;
  soul.is_reachable = agent.status == agents::Status::running && state == watchdog::State::running;
  soul.status = soul.is_reachable ? Status::idle : Status::stale;
  return soul;
}

Soul foreign_soul(const spans::Activity& activity, store::Time now) {
  Soul soul;
  soul.id = activity.id;
  soul.name = activity.id.substr(1);
  soul.created_at = store::Time::max();
  soul.is_reachable = now - activity.last_at < foreign_idle_for;
  soul.status = soul.is_reachable ? Status::idle : Status::stale;
  add_activity(soul, activity, now);
  return soul;
}

billing::AgentResources resources_of(const FleetAgent& agent) {
  return billing::agent_resources(billing::plan_named(agent.plan).value_or(billing::Plan::label));
}

}  // namespace

std::shared_ptr<const Souls::Known> Souls::known(store::UserId user) const {
  const auto tenant = system_.tenant(user);
  // Each of them only grows.
  const auto version =
      tenant.version(fleet_agents) + tenant.version(watch_states) + tenant.version(wallets::wallets_table);
  return cache_.get(user, version, [&] {
    Known known{.agents = tenant.list(fleet_agents, {.limit = std::size_t(-1)})};
    std::erase_if(known.agents, [](const FleetAgent& agent) { return !should_run(agent); });
    std::ranges::sort(known.agents, {}, [](const FleetAgent& agent) { return std::pair(agent.created_at, agent.id); });
    std::unordered_map<std::string, WatchState> states;
    for (auto& state : tenant.list(watch_states, {.limit = std::size_t(-1)})) states.emplace(state.id, state);
    std::unordered_map<std::string, std::string> wallet_addresses;
    for (auto& wallet : tenant.list(wallets::wallets_table, {.limit = std::size_t(-1)}))
      wallet_addresses.emplace(wallet.id, wallet.address);
    for (const auto& agent : known.agents) {
      known.watch.push_back(states[agent.id]);
      known.addresses.push_back(wallet_addresses[wallets::agent_wallet(agent.id)]);
    }
    return std::optional(std::move(known));
  });
}

web::Task<std::vector<Soul>> Souls::of(store::UserId user) const {
  co_await recorder_.written();
  const auto now = store::now();
  const auto known = this->known(user);
  std::unordered_set<std::string> busy;
  for (const auto& span : recorder_.running(user)) busy.insert(span.agent);
  std::unordered_map<std::string, spans::Activity> activities;
  for (auto& activity : system_.tenant(user).list(spans::activities, {.limit = std::size_t(-1)}))
    activities.emplace(activity.id, std::move(activity));

  std::vector<Soul> souls;
  std::vector<LoadSampler::Target> targets;
  std::vector<std::size_t> measured;  // their places among the souls
  for (std::size_t at = 0; at < known->agents.size(); ++at) {
    const auto& agent = known->agents[at];
    auto soul = soul_of(agent, known->watch[at].state);
    soul.url = addresses_.url(agent.subdomain);
    soul.wallet = known->addresses[at];
    if (const auto found = activities.find(agent.id); found != activities.end()) add_activity(soul, found->second, now);
    if (soul.is_reachable && busy.contains(agent.id)) soul.status = Status::active;
    if (soul.is_reachable) {
      targets.push_back({.agent = agent.id, .resources = resources_of(agent)});
      measured.push_back(souls.size());
    }
    souls.push_back(std::move(soul));
  }
  if (auto own = installation(user, now)) souls.push_back(std::move(*own));
  std::vector<Soul> foreign;
  for (const auto& [id, activity] : activities)
    if (activity.is_foreign && now - activity.last_at < foreign_shown_for)
      foreign.push_back(foreign_soul(activity, now));
  std::ranges::sort(foreign, {}, &Soul::id);
  std::ranges::move(foreign, std::back_inserter(souls));

  const auto loads = co_await sampler_.loads(std::move(targets));
  for (std::size_t at = 0; at < loads.size(); ++at) souls[measured[at]].load = loads[at];
  co_return souls;
}

std::optional<Soul> Souls::installation(store::UserId user, store::Time now) const {
  const auto found = system_.get(installations::table, std::to_string(user));
  if (!found) return std::nullopt;
  const auto silence = now - found->value.last_seen;
  Soul soul;
  soul.id = "installation-" + found->value.user_id;
  soul.name = "Installation (" + std::string(boost::describe::enum_to_string(found->value.mode, "")) + ")";
  soul.created_at = found->value.registered_at;
  soul.is_reachable = silence < installation_silence_;
  soul.status = !soul.is_reachable ? Status::stale : silence < active_for ? Status::active : Status::idle;
  return soul;
}

}  // namespace fleet
