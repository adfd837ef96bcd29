#include "appliance/billing/credits/account.h"

#include <vector>

#include "appliance/access/records.h"
#include "appliance/foundation/ordered_id.h"

namespace credits {

namespace {

void add_to_month(store::Change& change, const Entry& entry) {
  store::CounterFields sums;
  for (std::size_t kind = 0; kind < static_cast<std::size_t>(entry.kind); ++kind) sums.push_back(0);
  sums.push_back(entry.amount);
  change.add(entry.user_id, month_counter(usage::Period::month(entry.at)), sums);
}

// In the order of AccountField.
void add_to_account(store::Change& change, store::UserId user, const store::CounterFields& fields, bool is_bounded) {
  std::vector<store::Bound> bounds;
  if (is_bounded) bounds.push_back({.most = 0, .field = static_cast<std::size_t>(AccountField::owed)});
  change.add(user, account, fields, bounds);
}

void add_entry(store::Change& change, const Entry& entry, bool is_bounded) {
  change.insert_new(entries, entry);
  add_to_account(change, entry.user_id, {1, -entry.amount, entry.amount}, is_bounded);
  add_to_month(change, entry);
}

}  // namespace

store::CounterName month_counter(const usage::Period& month) { return {"credits/" + month.name()}; }

void add(store::Change& change, const Entry& entry) { add_entry(change, entry, entry.amount < 0); }
void add_beyond_balance(store::Change& change, const Entry& entry) { add_entry(change, entry, false); }

void reserve(store::Change& change, store::UserId user, usage::Money most) {
  add_to_account(change, user, {0, most.units()}, true);
}

void settle(store::Change& change, const Entry& spent, usage::Money reserved) {
  const auto given_back = reserved.units() + spent.amount;
  if (spent.amount == 0) {
    add_to_account(change, spent.user_id, {0, -given_back}, false);
    return;
  }
  change.insert_new(entries, spent);
  add_to_account(change, spent.user_id, {1, -given_back, spent.amount}, false);
  add_to_month(change, spent);
}

void take_over_referrals(const store::System& system) {
  const store::CounterName former{"credits"};  // whole credits
  std::vector<store::UserId> earners;
  system.each(accounts::users, [&](const accounts::User& user) {
    if (system.counter(user.id, former) != 0) earners.push_back(user.id);
    return true;
  });
  for (const auto user : earners) {
    const auto earned = system.counter(user, former);
    const auto now = store::now();
    auto change = system.change();
    change.add(user, former, -earned);
    add(change, {.user_id = user,
                 .id = agentbox::ordered_id(now),
                 .at = now,
                 .kind = EntryKind::referral,
                 .amount = earned * credit.units(),
                 .reference = {},
                 .note = "earned before the ledger of credits",
                 .by = {}});
    if (!change.commit_blocking().ok()) throw store::Unavailable("the referral credits of a user cannot be moved");
  }
}

}  // namespace credits
