// The credits of a referral.
#pragma once

#include "appliance/billing/credits/records.h"
#include "appliance/identity/accounts/records.h"
#include "store/change.h"

namespace credits {

// Adds to the change that creates `user`: the credits of both users.
void add_referral(store::Change&, const accounts::User& user, const accounts::User& referrer);

}  // namespace credits
