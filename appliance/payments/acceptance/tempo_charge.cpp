#include "appliance/payments/acceptance/tempo_charge.h"

#include <stdexcept>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/crypto/keccak.h"
#include "appliance/payments/acceptance/x402.h"
#include "web/json.h"

namespace gateway {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;
using spent_credentials::State;

constexpr auto poll_every = 300ms;
constexpr int max_polls = 80;

web::Error transaction_used() { return refused(verification_failed, "This payment has been used already."); }

const std::string network = x402::network_of(mpp::tempo_chain_id);

}  // namespace

web::Result<TempoCharge::Payment> TempoCharge::read(const json::object& payload, const mpp::Transfer& due) {
  const auto type = web::string_member(payload, "type");
  if (type == "hash") {
    const auto hash = chain::from_hex(web::string_member(payload, "hash"));
    if (!hash || hash->size() != chain::word_bytes)
      return refused(malformed_credential, "payload.hash must be 0x and 64 hex digits");
    return Payment{.hash = chain::to_hex(*hash), .raw = {}};
  }
  if (type != "transaction") return refused(malformed_credential, "payload.type must be hash or transaction");
  auto raw = chain::from_hex(web::string_member(payload, "signature"));
  const auto transaction = raw ? mpp::parse_tempo_transaction(*raw) : std::nullopt;
  if (!transaction)
    return refused(malformed_credential, "payload.signature must be a signed transaction of Tempo (type 0x76)");
  if (transaction->chain_id != mpp::tempo_chain_id)
    return refused(verification_failed, "The transaction is for another chain.");
  if (transaction->wants_fee_payer)
    return refused(verification_failed, "The box pays no fees of other accounts' transactions.");
  if (!mpp::makes(*transaction, due))
    return refused(verification_failed,
                   "The transaction makes no transferWithMemo of the exact amount that belongs to this challenge.");
  return Payment{.hash = chain::to_hex(crypto::keccak256(*raw)), .raw = std::move(*raw)};
}

web::Task<web::Result<std::optional<chain::Receipt>>> TempoCharge::send(const Payment& payment) {
  const auto outcome = co_await rpc_.send(payment.raw);
  if (!outcome) co_return unsettled(outcome.error().detail);
  using Kind = chain::SendOutcome::Kind;
  // A nonce that is used may be this very transaction's.
  if (outcome->kind != Kind::accepted && outcome->kind != Kind::nonce_used)
    co_return refused(verification_failed, "The chain refuses the transaction. You were not charged.");
  for (int polls = 0; polls < max_polls; ++polls) {
    auto receipt = co_await rpc_.receipt(payment.hash);
    if (receipt && *receipt) co_return std::move(*receipt);
    if (outcome->kind == Kind::nonce_used && receipt)
      co_return refused(verification_failed, "The transaction's nonce was used by another one. You were not charged.");
    co_await web::sleep_for(poll_every);
  }
  co_return unsettled("the transaction is in no block");
}

web::Task<web::Result<crypto::EthereumAddress>> TempoCharge::confirm(const Payment& payment, const mpp::Transfer& due) {
  auto receipt = co_await rpc_.receipt(payment.hash);
  if (!receipt) co_return receipt.error();
  if (!*receipt && payment.raw.empty())
    co_return refused(verification_failed, "This payment is in no block of its chain: try again once it is.");
  if (!*receipt) receipt = co_await send(payment);
  if (!receipt) co_return receipt.error();
  const auto payer = mpp::payer_in(**receipt, due);
  if (!payer)
    co_return refused(verification_failed,
                      "This transaction made no transfer of the exact amount that belongs to this challenge.");
  co_return *payer;
}

web::Task<web::Result<SaleReceipt>> TempoCharge::charge(const mpp::Credential& credential, mpp::Transfer due,
                                                        const Sale& sale) {
  const auto payment = read(credential.payload, due);
  if (!payment) co_return payment.error();
  const auto id = spent_credentials::of_transaction(network, payment->hash);
  const spent_credentials::SpentCredentials::Exclusive working(spent_, id);
  if (!working) co_return refused(verification_failed, "Another request is using this payment.");
  auto row = spent_.find(id, id);
  const bool is_used_up = row && (row->value.id != id || row->value.state == State::spent);
  if (is_used_up) co_return transaction_used();
  if (!row && mpp::has_expired(credential.challenge, store::now()))
    co_return refused(payment_expired, "This challenge has expired.");
  if (!row) {
    // Stored before anything is sent. What the payer has sent is not the box's to settle.
    spent_credentials::Credential claimed{.id = id,
                                          .state = payment->raw.empty() ? State::held : State::settling,
                                          .way = "mpp",
                                          .amount = sale.price.to_string(),
                                          .purpose = sale.purpose(),
                                          .request = sale.digest,
                                          .transaction = id};
    row = co_await spent_.claim(std::move(claimed));
    if (!row) co_return transaction_used();
  }
  const auto payer = co_await confirm(*payment, due);
  if (!payer) {
    const bool is_certain = payer.error().kind == web::Kind::payment_required;
    const bool has_money = row->value.state == State::paid || row->value.state == State::serving;
    if (!has_money && (is_certain || row->value.state == State::held)) co_await spent_.release(*row);
    co_return payer.error();
  }
  row->value.payer = payer->lower_case();
  co_return co_await deliver(std::move(*row), *payment, sale);
}

web::Task<web::Result<SaleReceipt>> TempoCharge::deliver(Row row, const Payment& payment, const Sale& sale) {
  if (!co_await spent_.move(row, State::serving)) throw std::logic_error("a payment in use was changed");
  auto result = co_await sale.deliver();
  const State end = result ? State::spent : State::paid;
  if (!co_await spent_.move(row, end)) throw std::logic_error("a payment in use was changed");
  if (!result) co_return undelivered(result.error(), true);
  co_return SaleReceipt{.result = std::move(*result),
                        .way = "mpp",
                        .method = "tempo",
                        .network = network,
                        .transaction = payment.hash,
                        .payer = row.value.payer};
}

}  // namespace gateway
