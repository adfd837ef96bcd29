#include "appliance/billing/referrals/referrals.h"

#include "appliance/foundation/ordered_id.h"
#include "store/transact.h"

namespace billing::referrals {

namespace {

const std::string record_id = Referral{}.id;

When when_named(std::string_view name) {
  if (name == "registration") return When::registration;
  return name == "approval" ? When::approval : When::payment;
}

void add_credits(store::Change& change, store::UserId to, store::UserId user, const std::string& note) {
  const auto now = store::now();
  credits::add(change, {.user_id = to,
                        .id = agentbox::ordered_id(now),
                        .at = now,
                        .kind = credits::EntryKind::referral,
                        .amount = accounts::referral_credits * credits::credit.units(),
                        .reference = "referral/" + std::to_string(user) + "/" + std::to_string(to),
                        .note = note,
                        .by = {}});
}

void add_both_credits(store::Change& change, store::UserId user, store::UserId referrer) {
  add_credits(change, user, user, "registered with a referral code");
  add_credits(change, referrer, user, "user " + std::to_string(user) + " registered with your code");
}

web::Error none_pending() { return web::not_found("No referral of this user is pending"); }

}  // namespace

Referrals::Referrals(store::System system, const accounts::Accounts& accounts, std::string_view when)
    : system_(std::move(system)), accounts_(accounts), when_(when_named(when)) {}

void Referrals::add(store::Change& change, const accounts::User& user, const accounts::User& referrer) const {
  if (when_ == When::registration) return add_both_credits(change, user.id, referrer.id);
  change.insert(pending, Referral{.user_id = user.id, .referrer_id = referrer.id, .created_at = user.created_at});
}

bool Referrals::is_due(const Referral& referral) const {
  const auto user = accounts_.find(referral.user_id);
  const bool is_vouched_for = referral.is_approved || (when_ != When::approval && referral.has_paid);
  return user && user->email_verified && is_vouched_for;
}

void Referrals::put(store::Change& change, store::Row<Referral> row) const {
  if (!is_due(row.value)) return change.update(pending, row);
  change.erase(pending, row);
  // Nobody is credited for a referrer who has left.
  if (accounts_.find(row.value.referrer_id)) add_both_credits(change, row.value.user_id, row.value.referrer_id);
}

void Referrals::note_payment(store::Change& change, store::UserId user) const {
  auto row = system_.get(pending, user, record_id);
  if (!row || row->value.has_paid) return;
  row->value.has_paid = true;
  put(change, std::move(*row));
}

web::Task<web::Result<Referral>> Referrals::approve(store::UserId user) {
  const auto step = [&](store::Change& change) -> web::Result<Referral> {
    auto row = system_.get(pending, user, record_id);
    if (!row) return none_pending();
    row->value.is_approved = true;
    put(change, *row);
    return std::move(row->value);
  };
  co_return co_await store::transact(system_, step);
}

web::Task<web::Result<Referral>> Referrals::refuse(store::UserId user) {
  const auto step = [&](store::Change& change) -> web::Result<Referral> {
    auto row = system_.get(pending, user, record_id);
    if (!row) return none_pending();
    change.erase(pending, *row);
    return std::move(row->value);
  };
  co_return co_await store::transact(system_, step);
}

std::vector<store::UserId> Referrals::due() const {
  std::vector<store::UserId> found;
  system_.each(pending, [&](const Referral& referral) {
    if ((referral.has_paid || referral.is_approved) && is_due(referral)) found.push_back(referral.user_id);
    return true;
  });
  return found;
}

web::Task<> Referrals::settle(store::UserId user) {
  const auto step = [&](store::Change& change) -> bool {
    auto row = system_.get(pending, user, record_id);
    if (!row || !is_due(row->value)) return false;
    put(change, std::move(*row));
    return true;
  };
  co_await store::transact(system_, step);
}

std::vector<Referral> Referrals::list(store::UserId after, std::size_t limit) const {
  std::vector<Referral> page;
  if (limit == 0) return page;
  system_.each(pending, [&](const Referral& referral) {
    if (referral.user_id > after) page.push_back(referral);
    return page.size() < limit;
  });
  return page;
}

}  // namespace billing::referrals
