#include "appliance/billing/module.h"

#include "appliance/billing/api_keys/routes.h"
#include "appliance/billing/mpp/routes.h"
#include "appliance/billing/spending/routes.h"
#include "appliance/billing/subscriptions/routes.h"
#include "appliance/billing/usage/routes.h"

namespace billing {

using namespace std::chrono_literals;

Module::Module(const agentbox::Platform& platform, identity::Module& identity)
    : identity_(identity),
      subscriptions(platform.system),
      plan_directory(subscriptions),
      ledger(platform.system),
      caps(platform.system),
      spend_policy(identity.accounts, identity.keys, subscriptions, caps, ledger, platform.settings.admin_emails),
      cap_policy(caps, ledger, spend_policy, identity.accounts, identity.keys,
                 [this](store::UserId user, std::string_view agent) { return has_agent_(user, agent); }),
      wallets(platform.system),
      name_collector_(platform.system, platform.blocking),
      name_collection_(platform.home, "usage names", 24h,
                       [this]() -> web::Task<> { co_await name_collector_.run(store::now()); }) {}

agentbox::Rows Module::rows(CapPolicy::HasAgent has_agent) {
  has_agent_ = std::move(has_agent);
  auto& audit = identity_.authentication.audit();
  const auto& guards = identity_.guards;
  const keys::Services api_keys{identity_.keys, subscriptions, ledger, audit, guards};
  const mpp::Services payment_wallets{wallets, guards};
  const plans::Services plan_services{identity_.accounts, subscriptions, audit, guards};
  const spending::Services caps_services{cap_policy, guards};
  const usage::Services usage_services{
      ledger, [this](store::UserId user) { return identity_.accounts.find(user).has_value(); }, guards};

  agentbox::Rows rows;
  web::append(rows.web, keys::web_routes(api_keys));
  web::append(rows.web, mpp::web_routes(payment_wallets));
  web::append(rows.web, plans::web_routes(plan_services));
  web::append(rows.web, spending::web_routes(caps_services));
  web::append(rows.web, usage::web_routes(usage_services));
  web::append(rows.backend, plans::backend_routes(plan_services));
  web::append(rows.backend, spending::backend_routes(caps_services));
  web::append(rows.backend, usage::backend_routes(usage_services));
  return rows;
}

}  // namespace billing
