#include "appliance/foundation/periodic.h"
#include "appliance/models/administration/routes.h"
#include "appliance/models/module.h"
#include "web/log.h"

namespace models::administration {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(Module& module)
      : models(module),
        stored(module.platform.system, module.gateway.providers()),
        looking(module.platform.home, "local model servers", 1h, [this] { return look(); }) {
    stored.apply();
  }
  Services services() { return {models.gateway, stored, local_servers, models.identity.audit}; }
  web::Task<> start() {
    looking.start();
    co_return;
  }
  web::Task<> stop() { return looking.stop(); }

  web::Task<> look() {
    const bool is_first = !local_servers.last().probed_at;
    const auto found = co_await local_servers.probe();
    if (!is_first || models.gateway.providers().local()) co_return;
    for (const auto& server : found.servers)
      web::log::info("local_model_server_found", {{"kind", server.kind},
                                                  {"url", server.base_url},
                                                  {"models", static_cast<std::int64_t>(server.models.size())},
                                                  {"use", "agentbox admin models use local --url " + server.base_url}});
  }

  Module& models;
  StoredProviders stored;
  LocalServers local_servers;
  agentbox::Periodic looking;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(stored_providers)}, .backend = backend_routes});
}

}  // namespace models::administration
