#include "appliance/billing/module.h"

namespace billing {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity)
    : platform(given_platform),
      identity(given_identity),
      subscriptions(platform.system),
      ledger(platform.system),
      spans(platform.system, platform.home),
      credits(platform.system),
      referrals(platform.system, identity.accounts, platform.settings.referral_credit),
      caps(platform.system),
      spend_policy(identity.accounts, identity.keys, subscriptions, caps, ledger, credits,
                   platform.settings.admin_emails),
      cap_policy(caps, ledger, spend_policy, identity.accounts, identity.keys, identity.agents),
      spent_credentials(platform.system),
      capabilities_(billing::capabilities(), *this) {
  identity.events.account_created.subscribe([this, plan = plan_named(platform.settings.default_plan)](
                                                const accounts::Newcomer& newcomer, store::Change& change) {
    if (newcomer.referrer) referrals.add(change, newcomer.user, *newcomer.referrer);
    // An invitation says itself which plan it gives.
    const bool is_invited = identity.accounts.registration_mode() == accounts::RegistrationMode::invite;
    if (plan && !is_invited && !newcomer.has_plan)
      subscriptions.put(change, newcomer.user.id, *plan, Subscriptions::new_id());
  });
  spend_policy.limit_models_by([this](store::UserId user) { return identity.groups.models_of(user); });
}

}  // namespace billing
