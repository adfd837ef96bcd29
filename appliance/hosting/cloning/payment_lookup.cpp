#include "appliance/hosting/cloning/payment_lookup.h"

#include <algorithm>

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/erc20.h"

namespace cloning {

namespace {

constexpr unsigned token_decimals = 6;  // of pathUSD
constexpr std::size_t hash_length = 66;

web::Error not_paid(std::string message, std::string code) {
  return {.kind = web::Kind::payment_required, .message = std::move(message), .code = std::move(code)};
}

// As EthereumAddress::parse takes addresses in one case whatever their checksum.
std::string word_of(const std::string& address) {
  const auto parsed = crypto::EthereumAddress::parse(address);
  return parsed ? chain::word(*parsed) : std::string();
}

}  // namespace

PaymentLookup::PaymentLookup(std::string rpc_url, const std::string& receiver, const std::string& token)
    : rpc_(std::move(rpc_url), chain_id, "PAYMENT_RPC_URL") {
  if (!rpc_.is_configured()) return;
  receiver_ = crypto::EthereumAddress::parse(receiver).value().lower_case();
  token_ = crypto::EthereumAddress::parse(token).value();
}

web::Task<web::Result<void>> PaymentLookup::confirm(const Payment& payment) {
  if (!rpc_.is_configured()) co_return web::Result<void>();
  if (payment.to != receiver_) co_return not_paid("The payment has a different recipient", "PAYMENT_TO_ANOTHER");
  const auto amount = chain::without_point(payment.amount, token_decimals);
  if (!amount) co_return web::invalid("paymentProof.amount must have at most six decimals");
  if (payment.transaction.size() != hash_length)
    co_return web::invalid("paymentProof.transactionHash must be 0x and 64 hex digits");
  const auto receipt = co_await rpc_.receipt(payment.transaction);
  if (!receipt) co_return receipt.error();
  if (!*receipt)
    co_return not_paid("This payment is in no block of its chain: try again once it is", "PAYMENT_NOT_FOUND");
  const std::string from = word_of(payment.from), to = word_of(payment.to);
  const auto pays = [&](const chain::Receipt::Log& log) {
    return chain::is_transfer(log, *token_, from, to) && chain::at_least(chain::to_digits(log.data), *amount);
  };
  if (!(*receipt)->has_succeeded || std::ranges::none_of((*receipt)->logs, pays))
    co_return not_paid("This transaction did not pay the amount to the receiver", "PAYMENT_NOT_MADE");
  // Its own time, not the one that the proof claims.
  if (!(*receipt)->block)
    co_return web::unavailable("The chain's RPC endpoint is unreachable, please try again later",
                               "PAYMENT_RPC_URL answered a receipt without a block");
  const auto block = co_await rpc_.block(*(*receipt)->block);
  if (!block) co_return block.error();
  if (!*block) co_return not_paid("This payment's block is gone from its chain: try again later", "PAYMENT_NOT_FOUND");
  const store::Time paid_at{std::chrono::seconds((*block)->timestamp)};
  if (store::now() - paid_at > proof_life)
    co_return not_paid("This payment was made more than 30 days ago", "PAYMENT_TOO_OLD");
  co_return web::Result<void>();
}

}  // namespace cloning
