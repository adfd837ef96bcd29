// The rows of the box itself: health, metrics, backup and the console.
#pragma once

#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/host_load.h"
#include "appliance/box/maintenance/backups.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/platform.h"
#include "appliance/identity/module.h"
#include "web/loop_watchdog.h"

namespace agentbox {

class Upkeep {
 public:
  Upkeep(const Platform&, store::Store&, const web::LoopWatchdog&, identity::Module&);

  Rows rows();
  void start();
  web::Task<> stop() { return docker_probe_.stop(); }

 private:
  const Platform& platform_;
  store::Store& store_;
  const web::LoopWatchdog& loop_watchdog_;
  identity::Module& identity_;
  maintenance::Backups backups_;
  health::HostMeter host_;
  health::DockerProbe docker_;
  Periodic docker_probe_;
};

}  // namespace agentbox
