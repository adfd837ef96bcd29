#include "appliance/box/agent_transfer/routes.h"
#include "appliance/box/module.h"

namespace agent_transfer {

namespace {

struct Parts {
  explicit Parts(box::Module& module) : box(module), transfer(module.platform, module.hosting) {}
  Services services() { return {transfer, box.identity.accounts, box.identity.audit}; }

  box::Module& box;
  AgentTransfer transfer;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace agent_transfer
