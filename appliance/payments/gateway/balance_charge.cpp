#include "appliance/payments/gateway/balance_charge.h"

#include <stdexcept>

#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/accounts/user_id.h"

namespace gateway {

namespace {

using spent_credentials::State;

constexpr std::string_view way = "balance";
constexpr std::size_t id_characters = 20;

ledger::Account till() { return ledger::of_box("gateway"); }

}  // namespace

web::Task<web::Result<Sold>> BalanceCharge::charge(store::UserId user, const Sale& sale) {
  const std::string reference = "gateway/" + crypto::random_id(id_characters);
  const ledger::Order order{.reference = reference,
                            .from = ledger::of_user(user),
                            .to = till(),
                            .amount = sale.price,
                            .memo = sale.description};
  spent_credentials::Credential credential{.id = reference,
                                           .state = State::serving,
                                           .way = std::string(way),
                                           .payer = std::to_string(user),
                                           .amount = sale.price.to_string(),
                                           .purpose = sale.purpose(),
                                           .request = sale.digest,
                                           .transaction = {},
                                           .created_at = store::now(),
                                           .changed_at = store::now()};
  auto change = system_.change();
  ledger_.post(change, order);
  change.insert(spent_credentials::credentials, credential);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) {
    auto refusal = ledger::Ledger::refusal(outcome);
    if (!refusal) throw std::logic_error("a random reference of the gateway was taken");
    co_return std::move(*refusal);
  }
  auto row = spent_.find(reference);
  if (!row) throw std::logic_error("a stored payment is gone");
  auto result = co_await sale.deliver();
  if (!result) {
    co_await refund(std::move(*row));
    co_return undelivered(result.error(), false);
  }
  if (!co_await spent_.move(*row, State::spent)) throw std::logic_error("a payment in use was changed");
  co_return Sold{.result = std::move(*result),
                 .way = std::string(way),
                 .method = {},
                 .network = "ledger",
                 .transaction = reference,
                 .payer = credential.payer};
}

web::Task<> BalanceCharge::refund(spent_credentials::Row row) {
  const auto user = accounts::parse_user_id(row.value.payer);
  const auto amount = payments::Usdc::parse(row.value.amount);
  if (!user || !amount) throw std::logic_error("a payment from a balance cannot be read");
  auto change = system_.change();
  ledger_.post(change, {.reference = row.value.id + "/refund",
                        .from = till(),
                        .to = ledger::of_user(*user),
                        .amount = *amount,
                        .memo = "not delivered"});
  change.erase(spent_credentials::credentials, row);
  const auto outcome = co_await change.commit();
  if (!outcome.ok()) throw std::logic_error("a payment in use was changed");
}

web::Task<> BalanceCharge::refund_interrupted() {
  for (const auto& one : spent_.unfinished_ones()) {
    if (one.way != way || one.state != State::paid) continue;
    if (auto row = spent_.find(one.id)) co_await refund(std::move(*row));
  }
}

}  // namespace gateway
