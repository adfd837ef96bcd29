// Replaces gateway tokens: when the owner asks for it, when all sessions of the owner were ended, and when the owner
// was disabled, which also stops the agents.
#pragma once

#include <functional>
#include <string>

#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/identity/audit/audit.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace agents {

// Replaces the tokens of the agent and of its callers.
void renew_tokens(Agent&);
// Adds to a change that updates the agent: it is stopped, with this reason, until its owner starts it. Afterwards the
// provisioner has to be notified.
void stop_for(const store::System&, Agent&, std::string reason, store::Change&);

// Callable from every thread; the arguments must outlive it.
class Revocation {
 public:
  using Rotated = std::function<web::Task<>(const audit::Actor&, const Agent&)>;
  // `is_enabled`: PROVISIONING_ENABLED. Without it a running agent cannot restart, so it keeps its token. `rotated`
  // runs after each rotation; it may be empty.
  Revocation(store::System system, Provisioner& provisioner, bool is_enabled, Rotated rotated)
      : system_(std::move(system)), provisioner_(provisioner), is_enabled_(is_enabled), rotated_(std::move(rotated)) {}

  // A new gateway token for the agent, which restarts with it if it should run; does not wait for that. not_found;
  // unauthenticated: the actor's session has ended; internal: it runs, and provisioning is off. User 0 is the backend.
  web::Task<web::Result<Agent>> rotate(audit::Actor, store::UserId owner, std::string agent);
  // After all sessions of the user were ended: stops the agents of a disabled user, and replaces outdated gateway
  // tokens. A failure is logged; what is left is done at the next start.
  web::Task<> sessions_ended(store::UserId);
  // Does the same for all users, without notifying the provisioner. Before Provisioner::start.
  web::Task<> catch_up();

 private:
  enum class Notify { yes, no };
  web::Task<> settle(store::UserId owner, std::string agent, Notify);

  store::System system_;
  Provisioner& provisioner_;
  const bool is_enabled_;
  const Rotated rotated_;
};

}  // namespace agents
