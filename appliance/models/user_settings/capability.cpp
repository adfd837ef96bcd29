#include "appliance/identity/personal_data/rows.h"
#include "appliance/models/module.h"
#include "appliance/models/user_settings/routes.h"

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
