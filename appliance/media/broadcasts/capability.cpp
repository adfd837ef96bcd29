#include "appliance/media/broadcasts/routes.h"
#include "appliance/media/module.h"

namespace broadcasts {

namespace {

struct Parts {
  explicit Parts(media::Module& given)
      : module(given),
        broadcasts(
            given.platform.home, given.platform.blocking, given.streams,
            [&given](std::string_view agent) { return given.hosting.workspace_of(agent); }, given.folder() / "air") {
    given.hosting.agents.when_removed(
        [this](store::UserId, std::string agent) -> web::Task<> { co_await broadcasts.end(std::move(agent)); });
  }
  Services services() { return {broadcasts, module.streams, module.hosting.agents.directory}; }
  web::Task<> start() { return broadcasts.start(); }
  web::Task<> stop() { return broadcasts.stop(); }

  media::Module& module;
  Broadcasts broadcasts;
};

}  // namespace

media::Capability capability() { return media::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace broadcasts
