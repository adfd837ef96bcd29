#include "appliance/box/administration/routes.h"
#include "appliance/box/module.h"

namespace administration {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        step_up(box.identity.accounts, box.identity.sessions, box.identity.second_factor, box.identity.audit,
                box.recent_proofs) {}
  Services services() { return {step_up, box.platform.settings, box.setting_sources}; }

  box::Module& box;
  StepUp step_up;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace administration
