#include "appliance/payments/gateway/purse.h"

#include "appliance/billing/credits/account.h"
#include "appliance/foundation/ordered_id.h"

namespace gateway {

namespace {

ledger::Account till() { return ledger::of_box("gateway"); }

// A USDC counts as a US dollar.
usage::Money money_of(payments::Usdc amount) {
  constexpr std::int64_t units_of_micro = 1'000'000;  // Money counts 10^-12, USDC 10^-6
  return usage::Money::of_units(amount.micro() * units_of_micro);
}

credits::Entry entry_of(const PursePayment& payment, usage::Money spent) {
  const auto now = store::now();
  return {.user_id = payment.user,
          .id = agentbox::ordered_id(now),
          .at = now,
          .kind = credits::EntryKind::spent,
          .amount = -spent.units(),
          .reference = payment.reference,
          .note = payment.what};
}

}  // namespace

std::string LedgerPurse::available(store::UserId user) const {
  return ledger_.balance(ledger::of_user(user)).to_string();
}

void LedgerPurse::take(store::Change& change, const PursePayment& payment) const {
  ledger_.post(change, {.reference = payment.reference,
                        .from = ledger::of_user(payment.user),
                        .to = till(),
                        .amount = payment.amount,
                        .memo = payment.what});
}

void LedgerPurse::give_back(store::Change& change, const PursePayment& payment) const {
  ledger_.post(change, {.reference = payment.reference + "/refund",
                        .from = till(),
                        .to = ledger::of_user(payment.user),
                        .amount = payment.amount,
                        .memo = "not delivered"});
}

std::optional<web::Error> LedgerPurse::refusal(const store::Outcome& outcome) const {
  return ledger::Ledger::refusal(outcome);
}

std::string CreditPurse::available(store::UserId user) const {
  return std::to_string(credits_.balance(user).whole_credits());
}

void CreditPurse::take(store::Change& change, const PursePayment& payment) const {
  credits::reserve(change, payment.user, money_of(payment.amount));
}

void CreditPurse::keep(store::Change& change, const PursePayment& payment) const {
  const auto amount = money_of(payment.amount);
  credits::settle(change, entry_of(payment, amount), amount);
}

void CreditPurse::give_back(store::Change& change, const PursePayment& payment) const {
  credits::settle(change, entry_of(payment, {}), money_of(payment.amount));
}

std::optional<web::Error> CreditPurse::refusal(const store::Outcome& outcome) const {
  if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
  return web::Error{.kind = web::Kind::payment_required,
                    .message = "You have not enough credits for this",
                    .code = "INSUFFICIENT_BALANCE"};
}

}  // namespace gateway
