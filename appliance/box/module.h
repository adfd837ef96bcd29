// The box's own capabilities: the console, health and metrics, backups.
#pragma once

#include "appliance/box/capabilities.h"
#include "appliance/hosting/runtime/isolation.h"
#include "appliance/identity/module.h"
#include "store/store.h"
#include "web/loop_watchdog.h"

namespace box {

class Module {
 public:
  // All of them must outlive this.
  Module(const agentbox::Platform& given_platform, store::Store& given_store, const web::LoopWatchdog& given_watchdog,
         identity::Module& given_identity, runtime::Isolation given_isolation)
      : platform(given_platform),
        store(given_store),
        loop_watchdog(given_watchdog),
        identity(given_identity),
        isolation(std::move(given_isolation)),
        capabilities_(box::capabilities(), *this) {}

  agentbox::Rows rows() { return capabilities_.rows(identity.guards); }
  web::Task<> start() { return capabilities_.start(); }
  web::Task<> stop() { return capabilities_.stop(); }

  const agentbox::Platform& platform;
  store::Store& store;
  const web::LoopWatchdog& loop_watchdog;
  identity::Module& identity;
  const runtime::Isolation isolation;  // of agents

 private:
  agentbox::RunningCapabilities capabilities_;
};

}  // namespace box
