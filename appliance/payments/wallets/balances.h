// Balances of addresses on a chain, with a short memory.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "appliance/payments/wallets/networks.h"
#include "store/codec.h"

namespace chains {

struct Balance {
  std::string native;  // in whole coins, as decimal text
  std::string usdc;    // decimal text; a balance may be larger than any payment
  store::Time at;      // when the chain said so
};

std::int64_t age_of(const Balance&);  // in seconds

// Callable from every thread.
class Balances {
 public:
  // The balance from at most five seconds ago or, if the chain cannot be asked, the last that it gave. unavailable if
  // it never gave any.
  web::Task<web::Result<Balance>> of(Network&, crypto::EthereumAddress);
  // After a transfer: the next answer comes from the chain.
  void forget(const Network&, const crypto::EthereumAddress&);

 private:
  using Key = std::pair<std::uint64_t, std::string>;  // chain id, address

  static web::Task<web::Result<Balance>> ask(Network&, crypto::EthereumAddress);

  struct Known {
    Balance balance;
    bool is_fresh = true;  // not overtaken by a transfer
  };
  std::mutex mutex_;  // protects known_
  std::map<Key, Known> known_;
};

}  // namespace chains
