#include "appliance/models/ai_api/routes.h"
#include "appliance/models/module.h"

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
