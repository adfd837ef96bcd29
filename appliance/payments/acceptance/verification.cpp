#include "appliance/payments/acceptance/verification.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/smart_wallet.h"

namespace eip3009 {

namespace {

using Verdict = web::Result<std::optional<Refusal>>;

std::string word_of(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  return chain::word(static_cast<std::uint64_t>(seconds));
}

Refusal refused(std::string reason, std::string message) { return {std::move(reason), std::move(message)}; }

web::Task<web::Result<bool>> is_signed(Token& token, const Authorization& authorization, const Domain& domain) {
  if (is_signed_by_key(authorization, domain)) co_return true;
  co_return co_await chain::contract_accepts(token.rpc(), authorization.from, digest(authorization, domain.separator),
                                             authorization.signature);
}

// The most likely reason for which the transfer would fail.
web::Task<Verdict> explain_failure(Token& token, const Authorization& authorization) {
  const auto used = co_await token.has_used(authorization.from, authorization.nonce);
  if (!used) co_return used.error();
  if (*used) co_return refused("invalid_exact_evm_nonce_already_used", "This authorization was used before.");
  const auto balance = co_await token.balance_of(authorization.from);
  if (!balance) co_return balance.error();
  if (*balance < authorization.value) co_return refused("insufficient_funds", "The payer has not enough of the token.");
  const auto has_code = co_await token.rpc().has_code(authorization.from);
  if (!has_code) co_return has_code.error();
  if (!*has_code && chain::is_for_undeployed_wallet(authorization.signature))
    co_return refused("invalid_exact_evm_payload_undeployed_smart_wallet",
                      "The payer's smart wallet is not deployed yet: deploy it first.");
  co_return refused("invalid_exact_evm_transaction_simulation_failed", "The token refuses this transfer.");
}

}  // namespace

std::optional<Refusal> check_terms(const Authorization& authorization, const PaymentTerms& due, store::Time now) {
  if (authorization.to != due.receiver)
    return refused("invalid_exact_evm_payload_recipient_mismatch", "This authorization pays another recipient.");
  if (authorization.value != due.value)
    return refused("invalid_exact_evm_payload_authorization_value", "This authorization is not for the exact amount.");
  if (authorization.valid_before <= word_of(now + least_validity))
    return refused("invalid_exact_evm_payload_authorization_valid_before", "This authorization has expired.");
  if (authorization.valid_after >= word_of(now))
    return refused("invalid_exact_evm_payload_authorization_valid_after", "This authorization is not valid yet.");
  return std::nullopt;
}

bool is_signed_by_key(const Authorization& authorization, const Domain& domain) {
  return crypto::recover_signer(digest(authorization, domain.separator), authorization.signature) == authorization.from;
}

web::Task<Verdict> verify(Token& token, const Authorization& authorization, PaymentTerms due, store::Time now) {
  if (auto refusal = check_terms(authorization, due, now)) co_return refusal;
  const auto domain = co_await token.domain();
  if (!domain) co_return domain.error();
  const auto signed_ = co_await is_signed(token, authorization, **domain);
  if (!signed_) co_return signed_.error();
  if (!*signed_)
    co_return refused("invalid_exact_evm_payload_signature",
                      "The signature is not the payer's, or was made in another domain than the token's: name " +
                          (*domain)->name + ", version " + (*domain)->version + ".");
  const auto succeeds = co_await token.would_transfer(authorization);
  if (!succeeds) co_return succeeds.error();
  if (*succeeds) co_return std::optional<Refusal>();
  co_return co_await explain_failure(token, authorization);
}

}  // namespace eip3009
