#include "appliance/hosting/schedule/tasks.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/gate/rules.h"
#include "appliance/hosting/schedule/timetable.h"
#include "store/transact.h"

namespace schedule {

namespace {

constexpr std::size_t max_of_any_plan = 1'000;
constexpr std::size_t max_of_any_kind = 2 * max_of_any_plan;  // with the heartbeats

web::Error no_such_task() { return web::not_found("No such task"); }

web::Error limit_reached(std::int64_t current, std::int64_t limit) {
  web::Error error{.kind = web::Kind::too_many,
                   .message = "Your plan has room for " + std::to_string(limit) + " scheduled tasks."};
  error.extra["current"] = current;
  error.extra["limit"] = limit;
  return error;
}

web::Error limit_of_agent_reached(std::int64_t limit) {
  web::Error error{
      .kind = web::Kind::too_many,
      .message = "An agent may have made at most " + std::to_string(limit) + " scheduled tasks: delete one first."};
  error.extra["current"] = error.extra["limit"] = limit;
  return error;
}

std::string text_of(std::chrono::seconds time) {
  if (time == std::chrono::minutes(1)) return "a minute";
  const auto minutes = std::chrono::floor<std::chrono::minutes>(time);
  return minutes == time ? std::to_string(minutes.count()) + " minutes" : std::to_string(time.count()) + " seconds";
}

// Looks at the first runs: those of a week, in which every pattern of hours and weekdays comes up.
web::Result<void> check_interval_of_agent(const Timetable& timetable, store::Time now, std::chrono::seconds apart) {
  constexpr std::chrono::days looked_at{8};
  constexpr std::chrono::seconds resolution{1};
  auto before = timetable.next(now);
  if (!before || apart <= resolution) return {};
  const auto end = *before + looked_at;
  while (*before < end) {
    const auto next = timetable.next(*before);
    if (!next) break;
    if (*next - *before < apart)
      return web::invalid("cronSchedule: tasks that an agent makes are at least " + text_of(apart) + " apart");
    before = next;
  }
  return {};
}

store::Page runs_of(const std::string& task) { return {.limit = runs_kept + 1, .after = task + "."}; }

}  // namespace

std::string run_id(const std::string& task, std::int64_t number) {
  auto digits = std::to_string(number);
  digits.insert(0, digits.size() < 12 ? 12 - digits.size() : 0, '0');
  return task + "." + digits;
}

std::int64_t max_tasks(std::optional<billing::Plan> plan) {
  if (!plan) return 5;
  switch (*plan) {
    case billing::Plan::label:
      return 10;
    case billing::Plan::solo:
      return 25;
    case billing::Plan::collective:
      return 100;
    case billing::Plan::network:
      break;
  }
  return max_of_any_plan;
}

Tasks::Tasks(store::System system, const billing::Subscriptions& subscriptions, const TimeZones& zones, Clock clock)
    : system_(std::move(system)), subscriptions_(subscriptions), zones_(zones), clock_(std::move(clock)) {}

std::string Tasks::zone_or_default(std::string timezone) const {
  return timezone.empty() ? zones_.of_the_box() : std::move(timezone);
}

gate::TaskLimits Tasks::limits_of_agents(store::UserId user) const {
  const auto held = subscriptions_.active(user);
  return gate::task_limits_of_plan(system_, held ? held->plan : billing::Plan::label);
}

web::Task<web::Result<Task>> Tasks::create(store::UserId user, NewTask wanted) {
  wanted.timezone = zone_or_default(std::move(wanted.timezone));
  const auto timetable = Timetable::read(zones_, wanted.cron_schedule, wanted.timezone);
  if (!timetable) co_return timetable.error();
  if (wanted.enabled && !timetable->next(clock_()))
    co_return web::invalid("cronSchedule: this time has passed in the zone " + wanted.timezone);
  const auto of_agents = limits_of_agents(user);
  if (!wanted.made_by.empty())
    if (const auto slow = check_interval_of_agent(*timetable, clock_(), of_agents.apart); !slow) co_return slow.error();
  const auto held = subscriptions_.active(user);
  const auto limit = max_tasks(held ? std::optional(held->plan) : std::nullopt);
  const auto tenant = system_.tenant(user);
  const auto now = clock_();
  Task task{.owner = user,
            .id = "st_" + crypto::random_id(20),
            .kind = Kind::prompt,
            .agent = std::move(wanted.agent),
            .name = std::move(wanted.name),
            .description = std::move(wanted.description),
            .cron_schedule = std::move(wanted.cron_schedule),
            .timezone = std::move(wanted.timezone),
            .prompt = std::move(wanted.prompt),
            .enabled = wanted.enabled,
            .catch_up = wanted.catch_up,
            .overlap = wanted.overlap,
            .next_run = wanted.enabled ? timetable->next(now) : std::nullopt,
            .last_run = {},
            .runs = 0,
            .running = {},
            .waiting = {},
            .created_at = now,
            .updated_at = now,
            .made_by = std::move(wanted.made_by),
            .model = std::move(wanted.model),
            .effort = std::move(wanted.effort),
            .tells_owner = wanted.tells_owner};
  for (;;) {
    const auto agent = tenant.get(agents::records, task.agent);
    if (!agent || agent->value.status == agents::Status::deleting) co_return web::not_found("No such agent");
    auto change = tenant.change();
    change.require(agents::records, *agent);  // the deletion of the agent searches its tasks only once
    change.insert(tasks, task);
    change.add(user, count, 1, limit);
    if (!task.made_by.empty()) change.add(user, count_made_by(task.made_by), 1, of_agents.tasks);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return task;
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      const auto current = tenant.counter(count);
      const bool is_agents_limit = current < limit && !task.made_by.empty();
      const auto made_by = is_agents_limit ? task.made_by : std::string();
      if (co_await remove_spent(user, made_by)) continue;
      if (is_agents_limit) co_return limit_of_agent_reached(of_agents.tasks);
      co_return limit_reached(current, limit);
    }
    if (outcome.kind == store::Outcome::Kind::duplicate) throw std::logic_error("a random task id was taken");
  }
}

web::Task<bool> Tasks::remove_spent(store::UserId user, std::string made_by) {
  auto found = list(user);
  std::erase_if(found, [&](const Task& task) {
    const auto timetable = Timetable::read(zones_, task.cron_schedule, task.timezone);
    return !timetable || !timetable->is_one_time() || task.next_run || task.running || !task.last_run ||
           (!made_by.empty() && task.made_by != made_by);
  });
  if (found.empty()) co_return false;
  const auto removed = co_await erase(user, found.back().id);
  co_return removed.has_value();
}

std::vector<Task> Tasks::list(store::UserId user, const std::string& agent) const {
  auto found = list_all(user, agent);
  std::erase_if(found, [](const Task& task) { return task.kind != Kind::prompt; });
  std::ranges::stable_sort(found, std::ranges::greater(), &Task::created_at);
  return found;
}

std::vector<Task> Tasks::list_all(store::UserId user, const std::string& agent) const {
  const auto tenant = system_.tenant(user);
  return agent.empty() ? tenant.list(tasks, store::Page{.limit = max_of_any_kind})
                       : tenant.find(tasks, "agent", agent, max_of_any_kind);
}

std::optional<Task> Tasks::find(store::UserId user, std::string_view id) const {
  auto row = system_.tenant(user).get(tasks, id);
  if (!row || row->value.kind != Kind::prompt) return std::nullopt;
  return std::move(row->value);
}

web::Result<void> Tasks::apply(Task& task, const Changes& changes,
                               const std::optional<gate::TaskLimits>& limits) const {
  const bool was_enabled = task.enabled;
  const auto before = std::pair(task.cron_schedule, task.timezone);
  if (changes.name) task.name = *changes.name;
  if (changes.description)
    task.description = changes.description->empty() ? std::nullopt : std::optional(*changes.description);
  if (changes.cron_schedule) task.cron_schedule = *changes.cron_schedule;
  if (changes.timezone) task.timezone = *changes.timezone;
  if (changes.prompt) task.prompt = *changes.prompt;
  if (changes.enabled) task.enabled = *changes.enabled;
  if (changes.catch_up) task.catch_up = *changes.catch_up;
  if (changes.overlap) task.overlap = *changes.overlap;
  if (changes.model) task.model = *changes.model;
  if (changes.effort) task.effort = *changes.effort;
  if (changes.tells_owner) task.tells_owner = *changes.tells_owner;

  const auto timetable = Timetable::read(zones_, task.cron_schedule, task.timezone);
  if (!timetable) return timetable.error();
  const auto now = clock_();
  if (limits)
    if (const auto slow = check_interval_of_agent(*timetable, now, limits->apart); !slow) return slow.error();
  if (!task.enabled) {
    task.next_run.reset();
    task.waiting.clear();
  } else if (!was_enabled || before != std::pair(task.cron_schedule, task.timezone)) {
    task.next_run = timetable->next(now);
    if (!task.next_run) return web::invalid("cronSchedule: this time has passed in the zone " + task.timezone);
  }
  task.updated_at = now;
  return {};
}

web::Task<web::Result<Task>> Tasks::change(store::UserId user, std::string id, Changes changes, bool by_agent) {
  const auto tenant = system_.tenant(user);
  std::optional<gate::TaskLimits> limits;
  if (by_agent) limits = limits_of_agents(user);
  const auto step = [&](store::Change& change) -> web::Result<Task> {
    auto row = tenant.get(tasks, id);
    if (!row || row->value.kind != Kind::prompt) return no_such_task();
    if (const auto applied = apply(row->value, changes, limits); !applied) return applied.error();
    change.update(tasks, *row);
    return std::move(row->value);
  };
  co_return co_await store::transact(tenant, step);
}

web::Task<web::Result<void>> Tasks::remove(store::UserId user, std::string id) {
  if (!find(user, id)) co_return no_such_task();
  co_return co_await erase(user, std::move(id));
}

web::Task<web::Result<void>> Tasks::remove_of_agent(store::UserId user, std::string agent, std::string id) {
  const auto task = find(user, id);
  if (!task || task->agent != agent) co_return no_such_task();
  co_return co_await erase(user, std::move(id));
}

web::Task<web::Result<void>> Tasks::erase(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(tasks, id);
    if (!row) return no_such_task();
    change.erase(tasks, *row);
    if (row->value.kind == Kind::prompt) change.add(user, count, -1);
    if (!row->value.made_by.empty()) change.add(user, count_made_by(row->value.made_by), -1);
    for (const auto& run : tenant.list(runs, runs_of(id)))
      if (const auto kept = run.task == id ? tenant.get(runs, run.id) : std::nullopt) change.erase(runs, *kept);
    return {};
  };
  co_return co_await store::transact(tenant, step);
}

web::Task<> Tasks::forget(store::UserId user, std::string agent) {
  for (const auto& task : list_all(user, agent)) {
    // not_found: its owner has removed it meanwhile.
    [[maybe_unused]] const auto removed = co_await erase(user, task.id);
  }
}

web::Task<> Tasks::forget_made_by(std::string person) {
  std::vector<std::pair<store::UserId, std::string>> found;
  system_.each(tasks, [&](const Task& task) {
    if (task.made_by == person) found.emplace_back(task.owner, task.id);
    return true;
  });
  for (const auto& [owner, id] : found) {
    // not_found: its owner has removed it meanwhile.
    [[maybe_unused]] const auto removed = co_await erase(owner, id);
  }
}

web::Result<std::vector<Run>> Tasks::history(store::UserId user, const std::string& id, std::size_t limit) const {
  const auto tenant = system_.tenant(user);
  if (!find(user, id)) return no_such_task();
  auto found = tenant.list(runs, runs_of(id));
  std::erase_if(found, [&](const Run& run) { return run.task != id; });
  std::ranges::reverse(found);
  if (found.size() > limit) found.resize(limit);
  return found;
}

web::Result<std::vector<store::Time>> Tasks::preview(const std::string& cron_schedule, const std::string& timezone,
                                                     std::size_t number) const {
  const auto timetable = Timetable::read(zones_, cron_schedule, zone_or_default(timezone));
  if (!timetable) return timetable.error();
  return timetable->next(clock_(), number);
}

}  // namespace schedule
