// How agents are: as their engine, their gateway and the watchdog see them.
#pragma once

#include "appliance/hosting/agents/provisioning/supervision.h"
#include "appliance/hosting/agents/records.h"
#include "appliance/runtime/engine.h"

namespace agents {

// Callable from every thread. Its arguments must outlive it.
class AgentMonitor {
 public:
  AgentMonitor(runtime::Engine& engine, Supervision& supervision) : engine_(engine), supervision_(supervision) {}

  web::Task<web::Result<runtime::Instance>> instance(const Agent&);
  // By the contract's table: what the engine reports or, where it does not check itself, whether the gateway answers.
  web::Task<runtime::Health> health(const Agent&, const web::Result<runtime::Instance>&);
  web::Task<watchdog::Watch> watch(const Agent&);
  // conflict while the agent does not run; unavailable while its engine does not answer.
  web::Task<web::Result<runtime::InstanceStats>> stats(const Agent&);

 private:
  runtime::Engine& engine_;
  Supervision& supervision_;
};

}  // namespace agents
