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
      referrals(platform.system, identity.accounts, platform.settings.referral_credit),
      caps(platform.system),
      spend_policy(identity.accounts, identity.keys, subscriptions, caps, ledger, credits,
                   platform.settings.admin_emails),
      cap_policy(caps, ledger, spend_policy, identity.accounts, identity.keys,
                 [this](store::UserId user, std::string_view agent) { return has_agent_(user, agent); }),
      spent_credentials(platform.system),
      capabilities_(billing::capabilities(), *this) {
  identity.use_plans(plan_directory);
  identity.accounts.read_credits_with([this](store::UserId user) { return credits.balance(user).whole_credits(); });
  identity.accounts.when_created(
      [this, plan = plan_named(platform.settings.default_plan)](const accounts::User& user,
                                                                const accounts::User* referrer, store::Change& change) {
        if (referrer) referrals.add(change, user, *referrer);
        // An invitation says itself which plan it gives.
        const bool is_invited = identity.accounts.registration_mode() == accounts::RegistrationMode::invite;
        if (plan && !is_invited) subscriptions.put(change, user.id, *plan, Subscriptions::new_id());
      });
}

}  // namespace billing
