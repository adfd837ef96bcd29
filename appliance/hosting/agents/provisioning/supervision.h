// Connects the watchdog to the provisioner, which carries out its decisions, and to the notifier, which reports them.
#pragma once

#include "appliance/foundation/settings/settings.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/runtime/watchdog/notifier.h"
#include "appliance/runtime/watchdog/watchdog.h"

namespace agents {

class Supervision {
 public:
  // Called on `home` whenever an agent enters a state.
  using Entered = std::function<void(const watchdog::Watch&)>;
  // Called on `home` for each notice that people get.
  using Notified = std::function<void(const watchdog::Target&, watchdog::Notice, const std::string& why)>;
  // Becomes the provisioner's observer, on its `home`. Both functions may be empty. All arguments must outlive it.
  Supervision(store::System, Provisioner&, agentbox::Events&, const agentbox::Settings&, Entered, Notified);
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  // The agent's current state and history. Callable from every thread, as is stop().
  web::Task<watchdog::Watch> look(const Agent&);
  // The user is looking at the agents; see Watchdog::attend. Callable from every thread.
  void attend(store::UserId);
  // Begins a repair, also of an agent that is not running: it should run from then on. not_found; conflict while the
  // agent has a job. Callable from every thread.
  web::Task<web::Result<Agent>> repair(store::UserId, std::string agent);
  // After Provisioner::stop, which ends the jobs of the watchdog.
  web::Task<> stop();

 private:
  using Edit = std::function<void(Agent&)>;
  watchdog::WatchdogActions actions();
  LifecycleObserver observer();
  web::Task<> stop_at_home();
  web::Task<web::Result<Agent>> repair_at_home(store::UserId, std::string agent);
  web::Task<watchdog::Report> carry_out(watchdog::Target, Action, Edit);

  Provisioner& provisioner_;
  const Entered entered_;
  const Notified notified_;
  watchdog::Notifier notifier_;
  watchdog::Watchdog watchdog_;
};

}  // namespace agents
