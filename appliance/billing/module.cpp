#include "appliance/billing/module.h"

namespace billing {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity)
    : platform(given_platform),
      identity(given_identity),
      subscriptions(platform.system),
      plan_directory(subscriptions),
      ledger(platform.system),
      spans(platform.system, platform.home),
      credits(platform.system),
      credit_book(credits),
      caps(platform.system),
      spend_policy(identity.accounts, identity.keys, subscriptions, caps, ledger, credits,
                   platform.settings.admin_emails),
      cap_policy(caps, ledger, spend_policy, identity.accounts, identity.keys,
                 [this](store::UserId user, std::string_view agent) { return has_agent_(user, agent); }),
      spent_credentials(platform.system),
      capabilities_(billing::capabilities(), *this) {
  identity.use_plans(plan_directory);
  identity.accounts.use_credits(credit_book);
}

}  // namespace billing
