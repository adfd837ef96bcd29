// The composition root: builds every service once, mounts their routes, starts, drains, stops.
#pragma once

#include <memory>
#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "web/route.h"

namespace agentbox {

class SummarizerChild;

class Box {
 public:
  // Opens the store and builds the services; nothing runs and nothing listens yet. Throws UsageError and
  // store::Unavailable.
  explicit Box(Settings);
  ~Box();

  // Serves until SIGTERM or SIGINT, then drains; one more after a second ends the process at once, with 128 and its
  // number. SIGHUP reloads the TLS files. Prints the ready line. Returns the exit code. Throws UsageError and
  // std::runtime_error, with one sentence, when a listener cannot be bound.
  int serve();

  // The tables of the two listeners, for their OpenAPI documents. They refer to this box.
  std::vector<web::Route> web_routes() const;
  std::vector<web::Route> backend_routes() const;

 private:
  struct Parts;
  web::Task<> stop(SummarizerChild&);

  std::unique_ptr<Parts> parts_;
};

}  // namespace agentbox
