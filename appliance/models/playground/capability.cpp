#include "appliance/models/module.h"
#include "appliance/models/playground/routes.h"

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
