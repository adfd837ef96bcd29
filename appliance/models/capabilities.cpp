// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/models/capabilities.h"

#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/models/administration/handlers.h"
#include "appliance/models/ai_api/handlers.h"
#include "appliance/models/ai_api/playground.h"
#include "appliance/models/ai_api/user_settings.h"
#include "appliance/models/demo/handlers.h"
#include "appliance/models/module.h"
#include "appliance/models/openai_api/handlers.h"
#include "web/log.h"

namespace models::demo {

namespace {

// The setting was checked when it was read.
usage::Money money_of(const std::string& dollars) { return usage::Money::parse(dollars).value(); }

struct Parts {
  explicit Parts(Module& module) : Parts(module, module.platform.settings) {}
  Parts(Module& module, const agentbox::Settings& settings)
      : demo(module.gateway, settings.demo_chat, {settings.demo_daily_tokens, money_of(settings.demo_daily_usd)}) {}
  Services services() { return {demo}; }
  Demo demo;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace models::demo

namespace models::user_settings {

namespace {

struct Parts {
  explicit Parts(Module& module) : models(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, provider_keys, cache_wishes));
  }
  Services services() { return {models.gateway, models.provider_keys, models.identity.audit}; }
  Module& models;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(provider_keys), store::describe(cache_wishes)}, .web = web_routes});
}

}  // namespace models::user_settings

namespace models::playground {

namespace {

struct Parts {
  explicit Parts(Module& module) : models(module) {}
  Services services() { return {models.gateway}; }
  Module& models;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace models::playground

namespace models::openai_api {

namespace {

struct Parts {
  explicit Parts(Module& module) : models(module) {}
  Services services() {
    return {models.gateway, [this](std::string_view agent) { return models.provider_of(agent); }};
  }
  Module& models;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes, .backend = caller_routes}); }

}  // namespace models::openai_api

namespace models::ai_api {

namespace {

struct Parts {
  explicit Parts(Module& module) : models(module) {}
  Services services() { return {models.gateway, models.identity.audit}; }
  Module& models;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace models::ai_api

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

namespace models {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::models::demo::capability(),       ::models::user_settings::capability(), ::models::playground::capability(),
      ::models::openai_api::capability(), ::models::ai_api::capability(),        ::models::administration::capability(),
  };
}

}  // namespace models
