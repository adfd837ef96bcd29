#include "appliance/payments/wallets/balances.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/chain/erc20.h"

namespace chains {

namespace {

constexpr std::chrono::seconds memory{5};
constexpr std::size_t max_known = 10'000;
constexpr unsigned native_decimals = 18, usdc_decimals = 6;

}  // namespace

std::int64_t age_of(const Balance& balance) {
  const auto age = std::chrono::floor<std::chrono::seconds>(store::now() - balance.at);
  return std::max<std::int64_t>(0, age.count());
}

web::Task<web::Result<Balance>> Balances::of(Network& network, crypto::EthereumAddress address) {
  const Key key{network.rpc.chain_id(), address.bytes()};
  std::optional<Known> known;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) known = found->second;
  }
  if (known && known->is_fresh && store::now() - known->balance.at < memory) co_return known->balance;
  auto answer = co_await ask(network, address);
  if (!answer) {
    if (known) co_return known->balance;
    co_return answer.error();
  }
  const std::lock_guard lock(mutex_);
  if (known_.size() >= max_known) known_.clear();
  known_[key] = {.balance = *answer};
  co_return std::move(*answer);
}

void Balances::forget(const Network& network, const crypto::EthereumAddress& address) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find({network.rpc.chain_id(), address.bytes()}); found != known_.end())
    found->second.is_fresh = false;
}

web::Task<web::Result<Balance>> Balances::ask(Network& network, crypto::EthereumAddress address) {
  const auto native = co_await network.rpc.native_balance(address);
  if (!native) co_return native.error();
  std::string usdc = "0";
  if (network.usdc) {
    const auto answered = co_await network.rpc.call(*network.usdc, chain::balance_of(address));
    if (!answered) co_return answered.error();
    if (answered->size() != chain::word_bytes)
      co_return web::unavailable("The contract of USDC does not answer as a token");
    usdc = chain::to_digits(*answered);
  }
  co_return Balance{.native = chain::with_point(chain::to_digits(*native), native_decimals),
                    .usdc = chain::with_point(std::move(usdc), usdc_decimals),
                    .at = store::now()};
}

}  // namespace chains
