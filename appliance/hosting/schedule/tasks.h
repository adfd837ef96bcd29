// Owners' access to scheduled prompts: create, list, change, remove, history and preview. Heartbeats are invisible to
// all functions except erase() and forget().
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/hosting/gate/records.h"
#include "appliance/hosting/schedule/records.h"
#include "appliance/hosting/schedule/time_zone.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace schedule {

using Clock = std::function<store::Time()>;

struct NewTask {
  std::string name, agent, cron_schedule, prompt;
  std::optional<std::string> description;
  std::string timezone;  // empty: the box's own
  bool enabled = true;
  CatchUp catch_up = CatchUp::once;
  Overlap overlap = Overlap::skip;
  std::string made_by;  // the agent that makes it; empty: its owner
  bool tells_owner = false;
  std::string model = {}, effort = {};
};

struct Changes {
  std::optional<std::string> name, description, cron_schedule, prompt, timezone;  // an empty description removes it
  std::optional<bool> enabled;
  std::optional<CatchUp> catch_up;
  std::optional<Overlap> overlap;
  std::optional<bool> tells_owner;
  std::optional<std::string> model, effort;  // empty: the agent's own
};

// Limit of tasks per user: label 10, solo 25, collective 100, network 1,000; without a plan 5.
std::int64_t max_tasks(std::optional<billing::Plan>);

// Thread-safe. All arguments must outlive it.
class Tasks {
 public:
  Tasks(store::System, const billing::Subscriptions&, const TimeZones&, Clock);

  // not_found when the agent is not the user's; invalid for a wrong expression or zone; too_many with `current` and
  // `limit` when the plan's number of tasks is reached, or an agent's own; invalid if an agent's would run more often
  // than its plan admits (limits_of_agents). Invalid also for one time that has passed. If the number is reached, the
  // oldest one-time task that has run makes room.
  web::Task<web::Result<Task>> create(store::UserId, NewTask);
  // Newest first; of one agent unless `agent` is empty.
  std::vector<Task> list(store::UserId, const std::string& agent = {}) const;
  std::optional<Task> find(store::UserId, std::string_view id) const;
  // The next run is computed from now if the expression or zone changes or the task is enabled. Disabling discards
  // waiting runs. `by_agent`: an agent changes it, which is bound by limits_of_agents. not_found, invalid.
  web::Task<web::Result<Task>> change(store::UserId, std::string id, Changes, bool by_agent = false);
  // With its history. A running run continues without being recorded. not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // The same, but not_found unless it is a task for this agent.
  web::Task<web::Result<void>> remove_of_agent(store::UserId, std::string agent, std::string id);
  // Like remove, for a task of any kind.
  web::Task<web::Result<void>> erase(store::UserId, std::string id);
  // All tasks of an agent, of every kind: for Events::agent_removed.
  web::Task<> forget(store::UserId, std::string agent);
  // What a builder has scheduled for agents of others: when the builder leaves. Reads all tasks of the box.
  web::Task<> forget_made_by(std::string person);

  // Newest first. not_found.
  web::Result<std::vector<Run>> history(store::UserId, const std::string& id, std::size_t limit) const;
  // The next `number` runs. invalid as for create; an empty zone is the box's own.
  web::Result<std::vector<store::Time>> preview(const std::string& cron_schedule, const std::string& timezone,
                                                std::size_t number) const;
  std::string zone_or_default(std::string timezone) const;
  // Of the tasks that this user's agents make themselves.
  gate::TaskLimits limits_of_agents(store::UserId) const;

 private:
  std::vector<Task> list_all(store::UserId, const std::string& agent) const;
  // Removes the oldest one-time task that has run: of the user, or only of those that `made_by` made. False: none.
  web::Task<bool> remove_spent(store::UserId, std::string made_by);
  // `limits`: an agent changes it.
  web::Result<void> apply(Task&, const Changes&, const std::optional<gate::TaskLimits>& limits) const;

  store::System system_;
  const billing::Subscriptions& subscriptions_;
  const TimeZones& zones_;
  const Clock clock_;
};

}  // namespace schedule
