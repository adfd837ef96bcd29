// The composition root: builds every service once, mounts their routes, starts, drains, stops.
#pragma once

#include <memory>

#include "appliance/box/service_manager.h"
#include "appliance/box/socket_activation.h"
#include "appliance/foundation/settings/load.h"
#include "web/task.h"

namespace agentbox {

class SummarizerChild;

class Box {
 public:
  // Opens the store and builds the services; nothing runs and nothing listens yet. The listeners use `sockets` where
  // there is one, else their own. `sources`: where the settings come from, for administrators. `manager` learns when
  // the box is ready, stops, and is alive. Throws UsageError and store::Unavailable.
  explicit Box(Settings settings, ActivatedSockets sockets = {}, SettingSources sources = {},
               ServiceManager manager = {});
  ~Box();

  // Serves until SIGTERM or SIGINT, then drains; one more after a second ends the process at once, with 128 and its
  // number. SIGHUP reloads the TLS files. Prints the ready line. Returns the exit code. Throws UsageError and
  // std::runtime_error, with one sentence, when a listener cannot be bound.
  int serve();

 private:
  struct Parts;
  web::Task<> stop(SummarizerChild&);

  std::unique_ptr<Parts> parts_;
};

}  // namespace agentbox
