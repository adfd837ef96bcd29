// Measures running agents about once a minute and keeps the last day.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/runtime/engine.h"
#include "appliance/hosting/usage_history/records.h"
#include "web/task.h"

namespace usage_history {

using Clock = std::function<store::Time()>;

class UsageHistory {
 public:
  // All arguments must outlive it.
  UsageHistory(store::System system, const agents::AgentDirectory& agents, runtime::Engine& engine,
               Clock clock = store::now)
      : system_(std::move(system)), agents_(agents), engine_(engine), clock_(std::move(clock)) {}

  // To be called every few seconds, on one thread: measures the running agents whose last measurement is a minute old,
  // or that have none.
  web::Task<> look();
  // The intervals of the last day in which the agent was measured, oldest first. Callable from every thread.
  std::vector<Usage> last_day(store::UserId owner, const std::string& agent) const;
  // Callable from every thread.
  web::Task<> forget(store::UserId owner, std::string agent);

 private:
  // False: the engine does not respond.
  web::Task<bool> measure(store::UserId owner, std::string agent, store::Time at);
  web::Task<> record(store::UserId owner, std::string agent, store::Time at, runtime::InstanceStats);
  std::vector<Usage> rows_of(store::UserId owner, const std::string& agent) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  runtime::Engine& engine_;
  const Clock clock_;
  std::unordered_map<std::string, store::Time> measured_at_;  // of running agents; used by look() only
};

}  // namespace usage_history
