#include "appliance/hosting/chat/records.h"
#include "appliance/hosting/chat/routes.h"
#include "appliance/hosting/module.h"
#include "appliance/identity/personal_data/rows.h"

namespace chat {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : hosting(module) {
    module.agents.when_removed(
        [&module](store::UserId user, std::string agent) { return module.chat.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, messages));
  }
  Services services() { return {hosting.chat, hosting.agents.directory}; }

  hosting::Module& hosting;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>(
      {.tables = {store::describe(messages)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace chat
