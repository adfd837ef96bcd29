// Scheduled prompts as their owners see them: make, list, change, remove, look back and ahead. Heartbeats are no
// business of theirs: to all but erase() and forget() there are none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/subscriptions/subscriptions.h"
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
  std::string timezone;  // empty: the box's
  bool enabled = true;
  CatchUp catch_up = CatchUp::once;
  Overlap overlap = Overlap::skip;
};

struct Changes {
  std::optional<std::string> name, description, cron_schedule, prompt, timezone;  // an empty description is none
  std::optional<bool> enabled;
  std::optional<CatchUp> catch_up;
  std::optional<Overlap> overlap;
};

// How many tasks one may have: label 10, solo 25, collective 100, network 1,000; without a plan 5.
std::int64_t most_tasks(std::optional<billing::Plan>);

// Callable from every thread. What it is given must outlive it.
class Tasks {
 public:
  Tasks(store::System, const billing::Subscriptions&, const TimeZones&, Clock);

  // not_found when the agent is not the user's; invalid for a wrong expression or zone; too_many with `current` and
  // `limit` when the plan's number of tasks is reached.
  web::Task<web::Result<Task>> create(store::UserId, NewTask);
  // Newest first; of one agent unless `agent` is empty.
  std::vector<Task> list(store::UserId, const std::string& agent = {}) const;
  std::optional<Task> find(store::UserId, std::string_view id) const;
  // Another expression or zone, and being enabled, count from now. What waits for the run at work goes with being
  // disabled. not_found, invalid.
  web::Task<web::Result<Task>> change(store::UserId, std::string id, Changes);
  // With its history. A run at work goes on, unseen. not_found.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);
  // The same for a task of any kind.
  web::Task<web::Result<void>> erase(store::UserId, std::string id);
  // All tasks of an agent, of every kind: for agents::Agents::when_removed.
  web::Task<> forget(store::UserId, std::string agent);

  // Newest first. not_found.
  web::Result<std::vector<Run>> history(store::UserId, const std::string& id, std::size_t limit) const;
  // The next `number` times it comes due: also while it is disabled. Invalid like create; an empty zone is the
  // box's.
  web::Result<std::vector<store::Time>> preview(const std::string& cron_schedule, const std::string& timezone,
                                                std::size_t number) const;
  std::string zone_or_own(std::string timezone) const;

 private:
  std::vector<Task> list_all(store::UserId, const std::string& agent) const;
  web::Result<void> apply(Task&, const Changes&) const;

  store::System system_;
  const billing::Subscriptions& subscriptions_;
  const TimeZones& zones_;
  const Clock clock_;
};

}  // namespace schedule
