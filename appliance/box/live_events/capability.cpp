#include "appliance/box/live_events/routes.h"
#include "appliance/box/live_events/sources.h"
#include "appliance/box/module.h"

namespace live_events {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : hub(sources_of(module.hosting), module.platform.home, module.platform.blocking,
            {.most_streams = module.platform.settings.streams_total,
             .most_per_user = module.platform.settings.streams_per_user}) {
    module.identity.sessions.when_all_ended([this](store::UserId user) -> web::Task<> {
      hub.end(user, "The session has ended.");
      co_return;
    });
    // The previous holder of an account reads no more of it.
    module.identity.identities.when_claimed(
        {.claim = {}, .claimed = [this](store::UserId user) { hub.end(user, "The account was claimed."); }});
  }
  Services services() { return {hub}; }
  web::Task<> start() {
    hub.start();
    co_return;
  }
  web::Task<> stop() { return hub.stop(); }

  Hub hub;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace live_events
