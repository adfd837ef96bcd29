// A token contract with EIP-3009, as its chain has it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "appliance/foundation/chain/rpc.h"
#include "appliance/payments/acceptance/authorization.h"

namespace eip3009 {

// The domain in which authorizations are signed (EIP-712).
struct Domain {
  std::string name, version;
  std::string separator;  // 32 raw bytes
};

// Callable from every thread. The Rpc must outlive it. Errors: unavailable, as of the Rpc.
class Token {
 public:
  Token(chain::Rpc& rpc, crypto::EthereumAddress address) : rpc_(rpc), address_(std::move(address)) {}

  const crypto::EthereumAddress& address() const { return address_; }
  std::string network() const { return "eip155:" + std::to_string(rpc_.chain_id()); }  // CAIP-2
  chain::Rpc& rpc() const { return rpc_; }

  // From the contract, kept for ten minutes: names and versions differ between chains and change with upgrades.
  // Unavailable also if the contract's separator is not that of its name and version.
  web::Task<web::Result<std::shared_ptr<const Domain>>> domain();
  web::Task<web::Result<bool>> has_used(crypto::EthereumAddress payer, std::string nonce);
  web::Task<web::Result<std::string>> balance_of(crypto::EthereumAddress) const;  // a word
  // Whether the transfer would succeed in the latest block. Nothing is sent.
  web::Task<web::Result<bool>> would_transfer(const Authorization&);

 private:
  web::Task<web::Result<Domain>> read_domain();
  web::Task<web::Result<std::string>> text(std::string function);

  chain::Rpc& rpc_;
  const crypto::EthereumAddress address_;
  std::mutex mutex_;  // protects domain_ and read_at_
  std::shared_ptr<const Domain> domain_;
  std::chrono::steady_clock::time_point read_at_;
};

}  // namespace eip3009
