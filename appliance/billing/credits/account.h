// A user's account of credits: what a change of the store may do to it. The account is a counter beside its entries,
// and no change can take more from it than it holds.
#pragma once

#include "appliance/billing/credits/records.h"
#include "store/change.h"
#include "store/store.h"

namespace credits {

// The fields of the account's counter. `owed` is at the place of usage::TallyField::cost, so that limits apply to it.
enum class AccountField : std::size_t {
  count,  // of entries
  owed,   // spent and reserved, less what was granted: above zero, and the balance below, only by add_beyond_balance()
  total,  // the sum of all entries
};
inline const store::CounterName account{"credits/account"};

// The sums of a month's entries by kind, in the order of EntryKind: "credits/2026-11".
store::CounterName month_counter(const usage::Period& month);

// Adds an entry. Outcome::over_bound on the account: the entry takes more than there is. Outcome::duplicate of
// "reference": there is an entry of this cause.
void add(store::Change&, const Entry&);
// The same for an entry that must be made although the balance does not cover it: the rest is a debt.
void add_beyond_balance(store::Change&, const Entry&);
// Sets the amount aside. Outcome::over_bound on the account: there is less.
void reserve(store::Change&, store::UserId, usage::Money most);
// Adds the entry of what was spent of a reservation, if anything was, and gives back the rest.
void settle(store::Change&, const Entry& spent, usage::Money reserved);

// Moves the referral credits of a store of schema 2 to the account. May be repeated. Blocks.
void take_over_referrals(const store::System&);

}  // namespace credits
