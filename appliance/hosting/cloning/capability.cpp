#include "appliance/hosting/cloning/routes.h"
#include "appliance/hosting/module.h"

namespace cloning {

namespace {

struct Parts {
  explicit Parts(hosting::Module& module) : Parts(module, module.platform.settings) {}
  Parts(hosting::Module& module, const agentbox::Settings& settings)
      : hosting(module),
        payment_lookup(settings.payment_rpc_url, settings.payment_receiver, settings.payment_token_address),
        cloning(module.platform.system, module.agents.provisioning, payment_lookup, module.billing.spent_credentials,
                {.only_verified = settings.clone_payments == "verified", .only_own = settings.clone_payer == "linked"},
                [&module](store::UserId user, std::string_view address) {
                  const auto identity = module.identity.identities.find("wallet:" + std::string(address));
                  return identity && identity->user_id == user && !identity->is_disabled;
                }) {}
  Services services() { return {cloning, hosting.agents.addresses}; }

  hosting::Module& hosting;
  PaymentLookup payment_lookup;
  Cloning cloning;
};

}  // namespace

hosting::Capability capability() {
  return hosting::Capability::of<Parts>({.tables = {store::describe(payments)}, .web = web_routes});
}

}  // namespace cloning
