// How what was agreed (a split, a booking) is paid: on the box's own ledger, or on a chain.
//
//   const auto progress = co_await settlement.settle(order);   // again and again, until it is settled or failed
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/payments/usdc.h"
#include "store/table.h"
#include "web/result.h"
#include "web/task.h"

namespace settlement {

struct Share {
  crypto::EthereumAddress to;
  payments::Usdc amount;  // positive
};

struct Order {
  std::string reference;          // 1 to 150 characters; each caller begins it with a prefix of its own: "split/12"
  store::UserId payer_owner = 0;  // whose wallet pays; 0: the box's
  crypto::EthereumAddress from;   // a wallet of the box
  std::vector<Share> shares;      // 1 to 1,000
  std::string memo{};
};

enum class State { processing, settled, failed };

struct Progress {
  State state = State::processing;
  std::string reason{};  // failed: a sentence
  std::vector<std::string>
      transactions{};  // on a chain: the hashes, in the order of the shares, as far as there are any
};

// Callable from every thread.
class Settlement {
 public:
  virtual ~Settlement() = default;

  // "ledger", or the chain's CAIP-2 name such as "eip155:8453".
  virtual std::string network() const = 0;
  // Pays each share of the reference once, however often it is asked for and wherever the process is killed; every call
  // must bring the same order. Returns how far that is. After `failed` nothing more is paid unless the order is brought
  // again, so the caller stores it. An Error (unavailable): ask again later.
  virtual web::Task<web::Result<Progress>> settle(Order) = 0;
};

}  // namespace settlement
