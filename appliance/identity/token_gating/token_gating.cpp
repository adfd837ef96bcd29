#include "appliance/identity/token_gating/token_gating.h"

#include "appliance/foundation/chain/abi.h"
#include "appliance/foundation/chain/amount.h"
#include "appliance/foundation/crypto/random.h"

namespace token_gating {

namespace {

constexpr std::chrono::seconds cache_lifetime{30};
constexpr std::size_t max_cached = 10'000;
constexpr unsigned max_decimals = 77;  // as many digits as a balance can have

const std::string balance_of = crypto::unhex("70a08231"), decimals_selector = crypto::unhex("313ce567");

}  // namespace

web::Task<web::Result<std::string>> TokenGating::word_of(std::string call) {
  const auto contract = crypto::EthereumAddress::parse(token_);
  if (!contract) co_return web::unavailable("No gating token is configured on this box: set GATING_TOKEN_ADDRESS");
  auto word = co_await rpc_.call(*contract, std::move(call));
  if (word && word->size() != chain::word_bytes)
    co_return web::unavailable("The gating token's contract does not answer as a token does");
  co_return word;
}

web::Task<web::Result<unsigned>> TokenGating::decimals() {
  {
    const std::scoped_lock lock(mutex_);
    if (decimals_) co_return *decimals_;
  }
  const auto word = co_await word_of(decimals_selector);
  if (!word) co_return word.error();
  const auto number = chain::small_number(*word);
  if (!number || *number > max_decimals) co_return web::unavailable("The gating token has no usable decimals");
  const std::scoped_lock lock(mutex_);
  decimals_ = static_cast<unsigned>(*number);
  co_return *decimals_;
}

web::Task<web::Result<Holding>> TokenGating::holding_of(crypto::EthereumAddress wallet) {
  const std::string address = wallet.lower_case();
  if (auto held = cached(address)) co_return std::move(*held);
  const auto places = co_await decimals();
  if (!places) co_return places.error();
  const auto balance = co_await word_of(balance_of + chain::word(wallet));
  if (!balance) co_return balance.error();
  const auto required = chain::without_point(minimum_, *places);
  if (!required) co_return web::unavailable("GATING_TOKEN_MINIMUM has more decimals than the token");
  const std::string digits = chain::to_digits(*balance);
  const Holding holding{.is_enough = chain::at_least(digits, *required),
                        .balance = chain::with_point(digits, *places),
                        .required = chain::with_point(*required, *places)};
  cache(address, holding);
  co_return holding;
}

std::optional<Holding> TokenGating::cached(const std::string& address) {
  const std::scoped_lock lock(mutex_);
  const auto found = cache_.find(address);
  if (found == cache_.end() || Clock::now() - found->second.at >= cache_lifetime) return std::nullopt;
  return found->second.holding;
}

void TokenGating::cache(const std::string& address, const Holding& holding) {
  const std::scoped_lock lock(mutex_);
  if (cache_.size() >= max_cached) cache_.clear();
  cache_.insert_or_assign(address, Cached{holding, Clock::now()});
}

}  // namespace token_gating
