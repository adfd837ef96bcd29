#include "appliance/payments/acceptance/balance_charge.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/access/records.h"
#include "appliance/billing/credits/account.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/ordered_id.h"

namespace gateway {

namespace {

using spent_credentials::Credential;
using spent_credentials::State;

constexpr std::size_t id_characters = 20;

ledger::Account till() { return ledger::of_box("gateway"); }

// A USDC counts as a US dollar.
usage::Money money_of(payments::Usdc amount) {
  constexpr std::int64_t units_of_micro = 1'000'000;  // Money counts 10^-12, USDC 10^-6
  return usage::Money::of_units(amount.micro() * units_of_micro);
}

credits::Entry entry_of(const BalancePayment& payment, usage::Money spent) {
  const auto now = store::now();
  return {.user_id = payment.user,
          .id = agentbox::ordered_id(now),
          .at = now,
          .kind = credits::EntryKind::spent,
          .amount = -spent.units(),
          .reference = payment.reference,
          .note = payment.what};
}

Credential credential_of(const BalanceSource& source, const BalancePayment& payment, const Sale& sale) {
  return {.id = payment.reference,
          .state = State::serving,
          .way = std::string(source.way()),
          .payer = std::to_string(payment.user),
          .amount = payment.amount.to_string(),
          .purpose = sale.purpose(),
          .request = sale.digest,
          .transaction = {},
          .created_at = store::now(),
          .changed_at = store::now()};
}

BalancePayment payment_of(const Credential& credential) {
  const auto user = accounts::parse_user_id(credential.payer);
  const auto amount = payments::Usdc::parse(credential.amount);
  if (!user || !amount) throw std::logic_error("a payment from an account of this box cannot be read");
  return {.user = *user, .reference = credential.id, .amount = *amount, .what = credential.purpose};
}

}  // namespace

std::string LedgerBalance::available(store::UserId user) const {
  return ledger_.balance(ledger::of_user(user)).to_string();
}

void LedgerBalance::take(store::Change& change, const BalancePayment& payment) const {
  ledger_.post(change, {.reference = payment.reference,
                        .from = ledger::of_user(payment.user),
                        .to = till(),
                        .amount = payment.amount,
                        .memo = payment.what});
}

void LedgerBalance::give_back(store::Change& change, const BalancePayment& payment) const {
  ledger_.post(change, {.reference = payment.reference + "/refund",
                        .from = till(),
                        .to = ledger::of_user(payment.user),
                        .amount = payment.amount,
                        .memo = "not delivered"});
}

std::optional<web::Error> LedgerBalance::refusal(const store::Outcome& outcome) const {
  return ledger::Ledger::refusal(outcome);
}

std::string CreditBalance::available(store::UserId user) const {
  return std::to_string(credits_.balance(user).whole_credits());
}

void CreditBalance::take(store::Change& change, const BalancePayment& payment) const {
  credits::reserve(change, payment.user, money_of(payment.amount));
}

void CreditBalance::keep(store::Change& change, const BalancePayment& payment) const {
  const auto amount = money_of(payment.amount);
  credits::settle(change, entry_of(payment, amount), amount);
}

void CreditBalance::give_back(store::Change& change, const BalancePayment& payment) const {
  credits::settle(change, entry_of(payment, {}), money_of(payment.amount));
}

std::optional<web::Error> CreditBalance::refusal(const store::Outcome& outcome) const {
  if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
  return web::Error{.kind = web::Kind::payment_required,
                    .message = "You have not enough credits for this",
                    .code = "INSUFFICIENT_BALANCE"};
}

const BalanceSource* BalanceCharge::source(std::string_view way) const {
  const auto found = std::ranges::find(sources_, way, &BalanceSource::way);
  return found == sources_.end() ? nullptr : *found;
}

web::Task<web::Result<SaleReceipt>> BalanceCharge::charge(std::string_view way, store::UserId user, const Sale& sale) {
  const auto* from = source(way);
  if (from == nullptr) throw std::logic_error("no source has this way of payment");
  const BalancePayment payment{.user = user,
                               .reference = "gateway/" + crypto::random_id(id_characters),
                               .amount = sale.price,
                               .what = sale.purpose()};
  auto change = system_.change();
  from->take(change, payment);
  change.insert(spent_credentials::credentials, credential_of(*from, payment, sale));
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) {
    auto refusal = from->refusal(outcome);
    if (!refusal) throw std::logic_error("a random reference of the gateway was taken");
    co_return std::move(*refusal);
  }
  auto row = spent_.find(payment.reference);
  if (!row) throw std::logic_error("a stored payment is gone");
  auto result = co_await sale.deliver();
  if (!result) {
    co_await give_back(*from, payment, *row);
    co_return undelivered(result.error(), false);
  }
  co_await keep(*from, payment, std::move(*row));
  co_return SaleReceipt{.result = std::move(*result),
                        .way = std::string(way),
                        .method = {},
                        .network = std::string(from->network()),
                        .transaction = payment.reference,
                        .payer = std::to_string(user)};
}

web::Task<> BalanceCharge::keep(const BalanceSource& from, const BalancePayment& payment, Row row) {
  row.value.state = State::spent;
  row.value.changed_at = store::now();
  auto change = system_.change();
  from.keep(change, payment);
  change.update(spent_credentials::credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a payment in use was changed");
}

web::Task<> BalanceCharge::give_back(const BalanceSource& from, const BalancePayment& payment, const Row& row) {
  auto change = system_.change();
  from.give_back(change, payment);
  change.erase(spent_credentials::credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a payment in use was changed");
}

web::Task<> BalanceCharge::refund_interrupted() {
  for (const auto& one : spent_.unfinished_ones()) {
    const auto* from = source(one.way);
    if (from == nullptr || one.state != State::paid) continue;
    if (const auto row = spent_.find(one.id)) co_await give_back(*from, payment_of(one), *row);
  }
}

}  // namespace gateway
