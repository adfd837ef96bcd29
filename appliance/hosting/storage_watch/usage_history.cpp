#include "appliance/hosting/storage_watch/usage_history.h"

#include <algorithm>
#include <cmath>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/rate_groups.h"
#include "web/routes/reply.h"

namespace usage_history {

namespace {

using web::Task;

constexpr std::chrono::minutes pace{1};

std::string prefix_of(const std::string& agent) { return agent + ":"; }

std::string id_of(const std::string& agent, store::Time begin) {
  const auto number = std::to_string(begin.time_since_epoch() / interval % intervals_kept);
  return prefix_of(agent) + std::string(3 - number.size(), '0') + number;
}

void add(const runtime::InstanceStats& stats, Usage& usage) {
  ++usage.measurements;
  if (std::isfinite(stats.cpu_percent))
    usage.cpu_percent += (std::max(stats.cpu_percent, 0.0) - usage.cpu_percent) / double(usage.measurements);
  usage.memory_bytes = std::max(usage.memory_bytes, std::int64_t(stats.memory_bytes));
}

}  // namespace

Task<> UsageHistory::look() {
  std::unordered_map<std::string, store::Time> measured_at;
  bool responds = true;
  for (const auto& agent : agents_.list_all(std::size_t(-1))) {
    if (agent.status != agents::Status::running) continue;
    const auto now = clock_();
    const auto last = measured_at_.find(agent.id);
    if (last != measured_at_.end() && last->second <= now && now - last->second < pace) {
      measured_at.insert(*last);
    } else if (responds) {
      responds = co_await measure(agent.owner, agent.id, now);
      if (responds) measured_at.emplace(agent.id, now);
    }
  }
  measured_at_ = std::move(measured_at);
}

Task<bool> UsageHistory::measure(store::UserId owner, std::string agent, store::Time at) {
  const auto stats = co_await engine_.stats(agent);
  if (!stats) co_return stats.error().kind != web::Kind::unavailable;
  co_await record(owner, std::move(agent), at, *stats);
  co_return true;
}

Task<> UsageHistory::record(store::UserId owner, std::string agent, store::Time at, runtime::InstanceStats stats) {
  const auto tenant = system_.tenant(owner);
  const auto running = tenant.get(agents::summaries, agent);
  if (!running || running->value.status != agents::Status::running) co_return;
  const store::Time begin = at - at.time_since_epoch() % interval;
  Usage usage{.owner = owner, .id = id_of(agent, begin), .begin = begin};
  auto change = tenant.change();
  // An agent that is being removed meanwhile leaves nothing behind.
  change.require(agents::summaries, *running);
  if (auto row = tenant.get(table, usage.id)) {
    if (row->value.begin != begin) row->value = std::move(usage);
    add(stats, row->value);
    change.update(table, *row);
  } else {
    add(stats, usage);
    change.insert(table, usage);
  }
  co_await change.commit(store::Durability::relaxed);
}

std::vector<Usage> UsageHistory::rows_of(store::UserId owner, const std::string& agent) const {
  const auto prefix = prefix_of(agent);
  auto rows = system_.tenant(owner).list(table, store::Page{.limit = std::size_t(intervals_kept), .after = prefix});
  std::erase_if(rows, [&](const Usage& usage) { return !usage.id.starts_with(prefix); });
  return rows;
}

std::vector<Usage> UsageHistory::last_day(store::UserId owner, const std::string& agent) const {
  auto rows = rows_of(owner, agent);
  const auto now = clock_();
  std::erase_if(rows,
                [now](const Usage& usage) { return usage.begin > now || now - usage.begin > std::chrono::hours(24); });
  std::ranges::sort(rows, {}, &Usage::begin);
  return rows;
}

Task<> UsageHistory::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  for (;;) {
    const auto rows = rows_of(owner, agent);
    if (rows.empty()) co_return;
    auto change = tenant.change();
    for (const auto& usage : rows)
      if (const auto row = tenant.get(table, usage.id)) change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

namespace {

web::Answer show_history(const Services& services, const agents::Target& target, const web::Request& request) {
  const auto agent = target(services.agents, request, {});
  if (!agent) co_return agent.error();
  HistoryAnswer answer{.id = agent->id, .intervalSeconds = std::chrono::seconds(interval).count(), .history = {}};
  for (const auto& usage : services.history.last_day(agent->owner, agent->id))
    answer.history.push_back({usage.begin, usage.cpu_percent, usage.memory_bytes});
  co_return web::reply(answer, 200);
}

constexpr auto about_history =
    "The last 24 hours, oldest first, in intervals of `intervalSeconds` that begin at `at`. A running agent is "
    "measured "
    "once a minute: `cpuPercent` is the average of the interval, of one core; `memoryBytes` is the most of it. "
    "Intervals "
    "in which the agent did not run are missing.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& reader = agentbox::session_or_key(guards, key_scopes::Scope::agents_read);
  return {
      {web::GET, "/api/agents/:id/stats/history", reader, &hosting::agents_rate,
       web::plain(on(show_history, agents::own_agent("id"))).returns<HistoryAnswer>().describe(about_history),
       "An agent's resource usage over a day"},
  };
}

}  // namespace usage_history
