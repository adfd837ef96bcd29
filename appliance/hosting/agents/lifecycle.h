// Starts, stops, repairs, updates and deletes agents on their owners' behalf.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/hosting/agents/provisioning/supervision.h"
#include "appliance/hosting/agents/records.h"

namespace agents {

// Callable from every thread. Its arguments must outlive it. All functions return not_found if the owner has no agent
// of this id, and internal while PROVISIONING_ENABLED is false; remove() works then, too. What brings an agent up is
// forbidden while its owner is disabled.
class AgentLifecycle {
 public:
  // Whether the owner's plan has room for the agent to run.
  using HasRoom = std::function<web::Result<void>(store::UserId owner, std::string_view agent)>;
  // Without `has_room` it always has.
  AgentLifecycle(store::System, const AgentDirectory&, runtime::Engine&, Provisioner&, Supervision&, bool is_enabled,
                 HasRoom has_room);

  // Done when they return: `running` or `stopped`. internal with the engine's reason on failure; conflict if another
  // request asked for the opposite meanwhile.
  web::Task<web::Result<Agent>> start(store::UserId owner, std::string id);
  web::Task<web::Result<Agent>> stop(store::UserId owner, std::string id);
  web::Task<web::Result<Agent>> restart(store::UserId owner, std::string id);
  // Returns before the agent runs.
  web::Task<web::Result<Agent>> begin_start(store::UserId owner, std::string id);
  // Begins the watchdog's sequence (kill, pause, start, pause, verify) and returns; AgentMonitor::watch shows its
  // progress. Also internal with the engine's reason if the engine does not respond, and conflict while the agent has
  // another job.
  web::Task<web::Result<Agent>> repair(store::UserId owner, std::string id);
  // Restarts the agent in the same workspace: as a container from the current image of this name (empty: the box's), as
  // a process from the box's current binary. internal if that does not get ready; what ran before is then brought back
  // if possible. Also forbidden: an image from a caller that is neither an administrator nor the backend (user 0);
  // invalid: an image where agents are processes, or a malformed name.
  web::Task<web::Result<Agent>> update(const web::Caller&, store::UserId owner, std::string id,
                                       std::optional<std::string> image);
  // Removes the agent's conversation and memories; its files stay. A running agent is stopped meanwhile and started
  // again, also if the box dies in between.
  web::Task<web::Result<Agent>> reset_memory(store::UserId owner, std::string id);
  // Stops the agent and removes everything it has. If something cannot be removed the job stays and is retried once the
  // engine answers, or at the next start of the box.
  web::Task<web::Result<void>> remove(store::UserId owner, std::string id);

  // Runs jobs of the owner's agents that were committed elsewhere.
  void run_committed_jobs(store::UserId owner);

 private:
  web::Result<void> check_enabled_owner(store::UserId) const;
  web::Task<web::Result<Agent>> begin(store::UserId owner, Job);
  web::Task<web::Result<Agent>> carry_out(store::UserId owner, Job);

  store::System system_;
  const AgentDirectory& directory_;
  runtime::Engine& engine_;
  Provisioner& provisioner_;
  Supervision& supervision_;
  const bool is_enabled_;
  const HasRoom has_room_;
};

}  // namespace agents
