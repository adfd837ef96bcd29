// Agents under the watchdog's eyes: what it decides is carried out by the provisioner, what people should know goes to
// the notifier.
#pragma once

#include "appliance/foundation/settings/settings.h"
#include "appliance/hosting/agents/provisioning/provisioner.h"
#include "appliance/hosting/watchdog/notifier.h"
#include "appliance/hosting/watchdog/watchdog.h"

namespace agents {

class Supervision {
 public:
  // Becomes the provisioner's observer, on its home. All of them must outlive it.
  Supervision(store::System, Provisioner&, const agentbox::Settings&);
  Supervision(const Supervision&) = delete;
  Supervision& operator=(const Supervision&) = delete;

  // How it is and has been. Callable from every thread, as is stop().
  web::Task<watchdog::Watch> look(const Agent&);
  // Begins the sequence of a repair, also of an agent that does not run: it is wanted from then on. not_found; conflict
  // while a job of the agent is there. Callable from every thread.
  web::Task<web::Result<Agent>> repair(store::UserId, std::string agent);
  // After Provisioner::stop, which ends what the watchdog has asked of it.
  web::Task<> stop();

 private:
  using Edit = std::function<void(Agent&)>;
  watchdog::WatchdogActions hands();
  LifecycleObserver observer();
  web::Task<> stop_at_home();
  web::Task<web::Result<Agent>> repair_at_home(store::UserId, std::string agent);
  web::Task<watchdog::Report> carry_out(watchdog::Target, Action, Edit);

  Provisioner& provisioner_;
  watchdog::Notifier notifier_;
  watchdog::Watchdog watchdog_;
};

}  // namespace agents
