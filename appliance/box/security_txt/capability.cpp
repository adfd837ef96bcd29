#include "appliance/box/module.h"
#include "appliance/box/security_txt/routes.h"

namespace security_txt {

namespace {

struct Parts {
  explicit Parts(box::Module& module) : box(module) {}
  Services services() { return {box.platform.settings}; }
  box::Module& box;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace security_txt
