// Checks on the chain whether a wallet holds enough of the gating token.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "appliance/foundation/chain/rpc.h"
#include "web/result.h"
#include "web/task.h"

namespace token_gating {

struct Holding {
  bool is_enough = false;
  std::string balance, required;  // in tokens: "1250000.5"
};

// Callable from every thread; `rpc` must outlive it.
class TokenGating {
 public:
  // `token`: the contract's address, may be empty; `minimum` in tokens.
  TokenGating(chain::Rpc& rpc, std::string token, std::string minimum)
      : rpc_(rpc), token_(std::move(token)), minimum_(std::move(minimum)) {}

  const std::string& token() const { return token_; }
  std::uint64_t chain_id() const { return rpc_.chain_id(); }
  // The balance is at most half a minute old. unavailable: chain or token is not configured, or the chain cannot be
  // reached.
  web::Task<web::Result<Holding>> holding_of(crypto::EthereumAddress);

 private:
  using Clock = std::chrono::steady_clock;
  struct Cached {
    Holding holding;
    Clock::time_point at;
  };

  web::Task<web::Result<std::string>> word_of(std::string call);
  web::Task<web::Result<unsigned>> decimals();
  std::optional<Holding> cached(const std::string& address);
  void cache(const std::string& address, const Holding&);

  chain::Rpc& rpc_;
  const std::string token_, minimum_;
  std::mutex mutex_;  // protects the two below
  std::optional<unsigned> decimals_;
  std::unordered_map<std::string, Cached> cache_;
};

}  // namespace token_gating
