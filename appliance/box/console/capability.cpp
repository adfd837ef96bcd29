#include "appliance/box/console/routes.h"
#include "appliance/box/module.h"

namespace console {

namespace {

struct Parts {
  explicit Parts(box::Module&) {}
  Services services() { return {}; }
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace console
