#include "appliance/payments/gateway/purse_charge.h"

#include <algorithm>
#include <stdexcept>

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/accounts/user_id.h"

namespace gateway {

namespace {

using spent_credentials::Credential;
using spent_credentials::State;

constexpr std::size_t id_characters = 20;

Credential credential_of(const Purse& purse, const PursePayment& payment, const Sale& sale) {
  return {.id = payment.reference,
          .state = State::serving,
          .way = std::string(purse.way()),
          .payer = std::to_string(payment.user),
          .amount = payment.amount.to_string(),
          .purpose = sale.purpose(),
          .request = sale.digest,
          .transaction = {},
          .created_at = store::now(),
          .changed_at = store::now()};
}

PursePayment payment_of(const Credential& credential) {
  const auto user = accounts::parse_user_id(credential.payer);
  const auto amount = payments::Usdc::parse(credential.amount);
  if (!user || !amount) throw std::logic_error("a payment from an account of this box cannot be read");
  return {.user = *user, .reference = credential.id, .amount = *amount, .what = credential.purpose};
}

}  // namespace

const Purse* PurseCharge::purse(std::string_view way) const {
  const auto found = std::ranges::find(purses_, way, &Purse::way);
  return found == purses_.end() ? nullptr : *found;
}

web::Task<web::Result<Sold>> PurseCharge::charge(std::string_view way, store::UserId user, const Sale& sale) {
  const auto* from = purse(way);
  if (from == nullptr) throw std::logic_error("no purse has this way of payment");
  const PursePayment payment{.user = user,
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
  co_return Sold{.result = std::move(*result),
                 .way = std::string(way),
                 .method = {},
                 .network = std::string(from->network()),
                 .transaction = payment.reference,
                 .payer = std::to_string(user)};
}

web::Task<> PurseCharge::keep(const Purse& from, const PursePayment& payment, Row row) {
  row.value.state = State::spent;
  row.value.changed_at = store::now();
  auto change = system_.change();
  from.keep(change, payment);
  change.update(spent_credentials::credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a payment in use was changed");
}

web::Task<> PurseCharge::give_back(const Purse& from, const PursePayment& payment, const Row& row) {
  auto change = system_.change();
  from.give_back(change, payment);
  change.erase(spent_credentials::credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a payment in use was changed");
}

web::Task<> PurseCharge::refund_interrupted() {
  for (const auto& one : spent_.unfinished_ones()) {
    const auto* from = purse(one.way);
    if (from == nullptr || one.state != State::paid) continue;
    if (const auto row = spent_.find(one.id)) co_await give_back(*from, payment_of(one), *row);
  }
}

}  // namespace gateway
