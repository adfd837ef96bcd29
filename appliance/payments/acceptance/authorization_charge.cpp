#include "appliance/payments/acceptance/authorization_charge.h"

#include <stdexcept>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"
#include "appliance/payments/acceptance/authorization_settlement.h"

namespace gateway {

namespace {

using eip3009::Authorization;
using spent_credentials::State;

constexpr auto nonce_used = "invalid_exact_evm_nonce_already_used";

web::Error authorization_used() {
  return refused(verification_failed, "This payment has been used already.", nonce_used);
}

web::Error refused_for(eip3009::Refusal refusal) {
  return refused(verification_failed, std::move(refusal.message), std::move(refusal.reason));
}

std::string id_of(const eip3009::Token& token, const Authorization& authorization) {
  return spent_credentials::of_authorization(token.network(), token.address().lower_case(),
                                             authorization.from.lower_case(), chain::to_hex(authorization.nonce));
}

std::string id_of_payer(const eip3009::Token& token, const Authorization& authorization) {
  return "payer " + token.network() + "/" + token.address().lower_case() + "/" + authorization.from.lower_case();
}

web::Error payment_in_progress() {
  return {.kind = web::Kind::too_many,
          .message = "Another payment of this account is in progress. Send this request again once it is answered.",
          .code = "PAYMENT_IN_PROGRESS"};
}

// Whether the payer signed it; the chain is asked only about smart wallets.
web::Task<web::Result<bool>> is_signed(eip3009::Token& token, const Authorization& authorization) {
  const auto domain = co_await token.domain();
  if (!domain) co_return domain.error();
  if (eip3009::is_signed_by_key(authorization, **domain)) co_return true;
  co_return co_await chain::contract_accepts(
      token.rpc(), authorization.from, eip3009::digest(authorization, (*domain)->separator), authorization.signature);
}

}  // namespace

SaleReceipt AuthorizationCharge::sold(const Row& row, boost::json::value result) const {
  const auto& transaction = row.value.transaction;
  return {.result = std::move(result),
          .way = row.value.way,
          .method = "evm",
          .network = token_.network(),
          .transaction = transaction.substr(transaction.rfind('/') + 1),
          .payer = row.value.payer};
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::charge(Authorization authorization, eip3009::PaymentTerms due,
                                                                std::string way, const Sale& sale) {
  auto id = id_of(token_, authorization);
  const spent_credentials::SpentCredentials::Exclusive working(spent_, id);
  if (!working) co_return refused(verification_failed, "Another request is using this payment.", nonce_used);
  auto known = spent_.find(id);
  // No other request works with it: what held it was cut off before any money moved.
  if (known && known->value.state == State::held) {
    co_await spent_.release(*known);
    known.reset();
  }
  if (known) co_return co_await resume(std::move(*known), authorization, std::move(due), sale);
  co_return co_await charge_new(std::move(id), authorization, std::move(due), std::move(way), sale);
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::charge_new(std::string id, const Authorization& authorization,
                                                                    eip3009::PaymentTerms due, std::string way,
                                                                    const Sale& sale) {
  const spent_credentials::SpentCredentials::Exclusive paying(spent_, id_of_payer(token_, authorization));
  if (!paying) co_return payment_in_progress();
  auto refusal = co_await eip3009::verify(token_, authorization, std::move(due), store::now());
  if (!refusal) co_return refusal.error();
  if (*refusal) co_return refused_for(std::move(**refusal));
  if (const auto covered = co_await check_balance(authorization, sale.price); !covered) co_return covered.error();
  spent_credentials::Credential credential{.id = std::move(id),
                                           .way = std::move(way),
                                           .payer = authorization.from.lower_case(),
                                           .amount = sale.price.to_string(),
                                           .purpose = sale.purpose(),
                                           .request = sale.digest};
  auto row = co_await spent_.claim(std::move(credential));
  if (!row) co_return authorization_used();
  if (sale.price >= settle_first_) co_return co_await settle_then_deliver(std::move(*row), authorization, sale);
  co_return co_await deliver_then_settle(std::move(*row), authorization, sale);
}

web::Task<web::Result<void>> AuthorizationCharge::check_balance(const Authorization& authorization,
                                                                payments::Usdc price) {
  auto needed = price;
  const auto payer = authorization.from.lower_case();
  for (const auto& one : spent_.unfinished_ones()) {
    const bool is_open = one.state == State::settling && one.payer == payer && (one.way == "x402" || one.way == "mpp");
    const auto amount = is_open ? payments::Usdc::parse(one.amount) : std::nullopt;
    if (amount) needed += *amount;
  }
  if (needed == price) co_return web::Result<void>();  // verified with the authorization
  const auto balance = co_await token_.balance_of(authorization.from);
  if (!balance) co_return balance.error();
  if (*balance < chain::word(static_cast<std::uint64_t>(needed.micro())))
    co_return refused(verification_failed,
                      "The payer has not enough of the token for this and the payments that are not settled yet.",
                      "insufficient_funds");
  co_return web::Result<void>();
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::resume(Row row, const Authorization& authorization,
                                                                eip3009::PaymentTerms due, const Sale& sale) {
  if (row.value.state == State::spent) co_return authorization_used();
  if (row.value.request != sale.digest || row.value.purpose != sale.purpose() || authorization.to != due.receiver ||
      authorization.value != due.value)
    co_return refused(verification_failed, "This payment was made for another request.", nonce_used);
  const auto is_theirs = co_await is_signed(token_, authorization);
  if (!is_theirs) co_return is_theirs.error();
  if (!*is_theirs) co_return authorization_used();
  if (row.value.state == State::settling)
    if (const auto settled = co_await settle(row, authorization); !settled) co_return settled.error();
  co_return co_await deliver_paid(std::move(row), sale);
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::deliver_then_settle(Row row,
                                                                             const Authorization& authorization,
                                                                             const Sale& sale) {
  auto result = co_await sale.deliver();
  if (!result) {
    co_await spent_.release(row);
    co_return undelivered(result.error(), false);
  }
  // Stored before anything is sent.
  if (!co_await spent_.move(row, State::settling)) throw std::logic_error("a payment in use was changed");
  if (const auto settled = co_await settle(row, authorization); !settled) co_return settled.error();
  if (!co_await spent_.move(row, State::spent)) throw std::logic_error("a settled payment was changed");
  co_return sold(row, std::move(*result));
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::settle_then_deliver(Row row,
                                                                             const Authorization& authorization,
                                                                             const Sale& sale) {
  if (!co_await spent_.move(row, State::settling)) throw std::logic_error("a payment in use was changed");
  if (const auto settled = co_await settle(row, authorization); !settled) co_return settled.error();
  co_return co_await deliver_paid(std::move(row), sale);
}

web::Task<web::Result<SaleReceipt>> AuthorizationCharge::deliver_paid(Row row, const Sale& sale) {
  if (!co_await spent_.move(row, State::serving)) throw std::logic_error("a payment in use was changed");
  auto result = co_await sale.deliver();
  const State end = result ? State::spent : State::paid;
  if (!co_await spent_.move(row, end)) throw std::logic_error("a payment in use was changed");
  if (!result) co_return undelivered(result.error(), true);
  co_return sold(row, std::move(*result));
}

web::Task<web::Result<void>> AuthorizationCharge::settle(Row& row, const Authorization& authorization) {
  const auto settled = co_await eip3009::settle(submitter_, token_, authorization);
  if (settled.state == eip3009::Settled::State::never) {
    co_await spent_.release(row);
    co_return refused(verification_failed, "The payment could not be settled. You were not charged.", settled.reason);
  }
  if (settled.state == eip3009::Settled::State::pending) co_return unsettled(settled.detail);
  // Its state is stored with the transaction. Of several payments in one transaction, one has it.
  row.value.transaction = spent_credentials::of_transaction(token_.network(), settled.transaction);
  if (!co_await spent_.move(row, State::serving)) {
    row.value.transaction.clear();
    if (!co_await spent_.move(row, State::serving)) throw std::logic_error("a payment in use was changed");
  }
  co_return web::Result<void>();
}

}  // namespace gateway
