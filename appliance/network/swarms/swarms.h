// Swarms: several agents of one user that work towards a goal. This is what their owner does with them; coordinator.h
// runs them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "appliance/hosting/agents/directory.h"
#include "appliance/network/swarms/budget.h"
#include "appliance/network/swarms/coordinator.h"
#include "appliance/network/swarms/records.h"
#include "web/result.h"
#include "web/task.h"

namespace swarms {

inline constexpr std::chrono::minutes default_time{30};

struct NewSwarm {
  std::string goal;
  std::string name;                 // empty: the goal's beginning
  std::vector<std::string> agents;  // 2 to 16, each once
  std::string orchestrator;         // empty: the one with the role orchestrator in its config, else the first
  std::optional<usage::Money> max_cost;
  std::chrono::minutes time = default_time;
};

inline web::Error no_such_swarm() { return web::not_found("No such swarm"); }

// Thread-safe. All arguments must outlive it.
class Swarms {
 public:
  Swarms(store::System system, const agents::AgentDirectory& agents, const Budget& budget,
         SwarmCoordinator& coordinator)
      : system_(std::move(system)), agents_(agents), budget_(budget), coordinator_(coordinator) {}

  // Stores it and begins. The cost is limited by what the caps leave, if they leave less. not_found: an agent is not
  // the caller's; invalid, naming the field; too_many with current and limit: five are at work, or 200 are kept; and
  // the errors of Budget::left.
  web::Task<web::Result<Swarm>> create(web::Caller, NewSwarm);
  // Newest first.
  std::vector<Swarm> list(store::UserId) const;
  std::optional<Swarm> find(store::UserId, std::string_view id) const;
  std::vector<Task> tasks_of(const Swarm&) const;
  // Those after the event of this number, in their order; at most `limit`.
  std::vector<Event> events_after(const Swarm&, std::int64_t number, std::size_t limit) const;

  // not_found; conflict if it is finished.
  web::Task<web::Result<Swarm>> stop(store::UserId, std::string id);
  // With its tasks and events. not_found; conflict unless it is finished.
  web::Task<web::Result<void>> remove(store::UserId, std::string id);

 private:
  web::Result<std::string> orchestrator_of(store::UserId, const NewSwarm&) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  const Budget& budget_;
  SwarmCoordinator& coordinator_;
};

}  // namespace swarms
