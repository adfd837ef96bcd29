#include "appliance/billing/module.h"

#include "appliance/billing/api_keys/routes.h"
#include "appliance/billing/mpp/routes.h"
#include "appliance/billing/spending/cap_routes.h"
#include "appliance/billing/subscriptions/routes.h"
#include "appliance/billing/usage/routes.h"

namespace billing {

using namespace std::chrono_literals;

Module::Module(const agentbox::Platform& platform, identity::Module& identity)
    : identity_(identity),
      subscriptions(platform.system),
      plans(subscriptions),
      ledger(platform.system),
      caps(platform.system),
      spend_policy(identity.accounts, identity.keys, subscriptions, caps, ledger, platform.settings.admin_emails),
      wallets(platform.system),
      name_collector_(platform.system, platform.blocking),
      old_names_(platform.home, "usage names", 24h,
                 [this]() -> web::Task<> { co_await name_collector_.run(store::now()); }) {}

agentbox::Rows Module::rows(HasAgent has_agent) {
  auto& audit = identity_.authentication.audit();
  const auto& guards = identity_.guards;
  const auto is_user = [this](store::UserId user) { return identity_.accounts.find(user).has_value(); };
  const CapRouteParts spending{
      caps,
      ledger,
      is_user,
      std::move(has_agent),
      [this](store::UserId user, std::string_view key) { return identity_.keys.find(user, key) != nullptr; },
      [this](store::UserId user) {
        const auto payer = spend_policy.payer_of(web::Caller{.user_id = user});
        return payer ? std::optional(payer->plan) : std::nullopt;
      },
      guards};
  agentbox::Rows rows;
  web::append(rows.web, keys::routes(identity_.keys, subscriptions, ledger, audit, guards));
  web::append(rows.web, mpp::web_routes(wallets, guards));
  web::append(rows.web, web_routes(identity_.accounts, guards));
  web::append(rows.web, cap_web_routes(spending));
  web::append(rows.web, usage::web_routes(ledger, guards));
  web::append(rows.backend, routes(subscriptions, audit, guards));
  web::append(rows.backend, cap_admin_routes(spending));
  web::append(rows.backend, usage::routes(ledger, is_user, guards));
  return rows;
}

}  // namespace billing
