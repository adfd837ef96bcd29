#include <ranges>

#include "appliance/box/health/docker_probe.h"
#include "appliance/box/module.h"
#include "appliance/box/status/routes.h"
#include "appliance/foundation/periodic.h"

namespace status {

namespace {

using namespace std::chrono_literals;

bool all_configured_serve(models::Providers& providers) {
  const auto now = models::Breaker::Clock::now();
  return std::ranges::all_of(models::provider_names, [&](std::string_view name) {
    return !providers.find(name) || providers.breaker(name).whole().state(now) == models::Circuit::closed;
  });
}

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        docker(module.platform.settings.docker_host),
        docker_probe(module.platform.home, "status", 15s, [this] { return docker.ask(); }) {}

  bool runs_containers() const { return box.hosting.engine->name() == "docker"; }

  Services services() {
    return {.is_public = box.platform.settings.status_page,
            .checks = {.store_works = [this] { return !box.store.read_only_reason(); },
                       .models_work = [this] { return all_configured_serve(box.models.gateway.providers()); },
                       .agents_work = [this] { return !runs_containers() || docker.available(); }}};
  }

  web::Task<> start() {
    if (box.platform.settings.status_page && runs_containers()) docker_probe.start();
    co_return;
  }
  web::Task<> stop() { return docker_probe.stop(); }

  box::Module& box;
  health::DockerProbe docker;
  agentbox::Periodic docker_probe;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace status
