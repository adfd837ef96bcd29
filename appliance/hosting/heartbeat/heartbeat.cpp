#include "appliance/hosting/heartbeat/heartbeat.h"

#include "appliance/hosting/agents/records.h"
#include "appliance/hosting/schedule/frequency.h"
#include "appliance/hosting/schedule/timetable.h"
#include "store/transact.h"

namespace heartbeat {

namespace {

constexpr std::string_view every = "@every ";
constexpr auto default_prompt =
    "This is your heartbeat. Look at what you were asked to keep an eye on and at what you remember, and do what is "
    "due now. When nothing needs your attention, answer HEARTBEAT_OK and nothing else.";

std::string id_of(const std::string& agent) { return "hb_" + agent; }

schedule::Task default_task(store::UserId user, const std::string& agent, store::Time now) {
  schedule::Task task;
  task.owner = user;
  task.id = id_of(agent);
  task.kind = schedule::Kind::heartbeat;
  task.agent = agent;
  task.name = "heartbeat";
  task.cron_schedule = std::string(every) + default_frequency;
  task.timezone = "UTC";
  task.prompt = default_prompt;
  task.created_at = now;
  return task;
}

}  // namespace

web::Result<Heartbeat> Heartbeats::find(store::UserId user, const std::string& agent) const {
  const auto tenant = system_.tenant(user);
  const auto owned = tenant.get(agents::records, agent);
  if (!owned || owned->value.status == agents::Status::deleting) return web::not_found("No such agent");
  const auto row = tenant.get(schedule::tasks, id_of(agent));
  if (row) return shown(row->value);
  Heartbeat none;
  none.agent = agent;
  none.prompt = default_prompt;
  return none;
}

web::Task<web::Result<Heartbeat>> Heartbeats::set(store::UserId user, std::string agent, Changes changes) {
  const auto frequency = changes.frequency ? schedule::parse_frequency(*changes.frequency) : std::nullopt;
  if (changes.frequency && !frequency)
    co_return web::invalid("frequency must be a number of minutes, hours or days up to a year, such as 30m, 3h or 1d");
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> web::Result<Heartbeat> {
    const auto owned = tenant.get(agents::records, agent);
    if (!owned || owned->value.status == agents::Status::deleting) return web::not_found("No such agent");
    const auto now = clock_();
    auto row = tenant.get(schedule::tasks, id_of(agent));
    const bool is_new = !row;
    if (is_new) row.emplace().value = default_task(user, agent, now);
    auto& task = row->value;
    if (changes.frequency) task.cron_schedule = std::string(every) + *changes.frequency;
    if (changes.prompt) task.prompt = changes.prompt->empty() ? default_prompt : *changes.prompt;
    if (changes.enabled) task.enabled = *changes.enabled;
    const auto timetable = schedule::Timetable::read(zones_, task.cron_schedule, task.timezone);
    if (!timetable) return timetable.error();
    task.next_run = task.enabled ? timetable->next(now) : std::nullopt;
    task.updated_at = now;
    change.require(agents::records,
                   *owned);  // deleting the agent removes its tasks once, so none may be added afterwards
    if (is_new)
      change.insert(schedule::tasks, task);
    else
      change.update(schedule::tasks, *row);
    return shown(task);
  };
  co_return co_await store::transact(tenant, step);
}

web::Task<web::Result<void>> Heartbeats::remove(store::UserId user, std::string agent) {
  const auto current = find(user, agent);
  if (!current) co_return current.error();
  // not_found: there was none.
  [[maybe_unused]] const auto removed = co_await tasks_.erase(user, id_of(agent));
  co_return web::Result<void>();
}

Heartbeat Heartbeats::shown(const schedule::Task& task) const {
  Heartbeat found{.agent = task.agent,
                  .frequency = task.cron_schedule.substr(every.size()),
                  .enabled = task.enabled,
                  .prompt = task.prompt,
                  .last = task.last_run,
                  .next = task.next_run,
                  .last_outcome = {},
                  .last_error = {},
                  .updated_at = task.updated_at};
  const auto run = system_.get(schedule::runs, task.owner, schedule::run_id(task.id, task.runs));
  if (run) {
    found.last_outcome = run->value.outcome;
    found.last_error = run->value.error;
  }
  return found;
}

}  // namespace heartbeat
