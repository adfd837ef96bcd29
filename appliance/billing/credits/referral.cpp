#include "appliance/billing/credits/referral.h"

#include "appliance/billing/credits/account.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/identity/accounts/accounts.h"

namespace credits {

void add_referral(store::Change& change, const accounts::User& user, const accounts::User& referrer) {
  const auto grant = [&](store::UserId to, const std::string& note) {
    add(change, {.user_id = to,
                 .id = agentbox::ordered_id(user.created_at),
                 .at = user.created_at,
                 .kind = EntryKind::referral,
                 .amount = accounts::referral_credits * credit.units(),
                 .reference = "referral/" + std::to_string(user.id) + "/" + std::to_string(to),
                 .note = note,
                 .by = {}});
  };
  grant(user.id, "registered with a referral code");
  grant(referrer.id, "user " + std::to_string(user.id) + " registered with your code");
}

}  // namespace credits
