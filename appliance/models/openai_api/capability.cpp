#include "appliance/models/module.h"
#include "appliance/models/openai_api/routes.h"

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

Capability capability() { return Capability::of<Parts>({.web = caller_routes, .backend = caller_routes}); }

}  // namespace models::openai_api
