#include "appliance/network/events/routes.h"
#include "appliance/network/module.h"

namespace events {

namespace {

struct Parts {
  explicit Parts(network::Module& module) : events(module.events) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return events.forget(user, std::move(agent)); });
  }
  Services services() { return {events}; }

  Events& events;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(table)}, .backend = backend_routes});
}

}  // namespace events
