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

namespace chains {
class Balances;
struct Networks;
}  // namespace chains
namespace ledger {
class Ledger;
}
namespace transactions {
class Sender;
}
namespace wallets {
class Wallets;
}

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

// Pays from and to wallets of the box, on its ledger: all shares of an order in one change, at once.
class LedgerSettlement final : public Settlement {
 public:
  // Both must outlive this.
  LedgerSettlement(ledger::Ledger& ledger, const wallets::Wallets& wallets) : ledger_(ledger), wallets_(wallets) {}

  std::string network() const override { return "ledger"; }
  web::Task<web::Result<Progress>> settle(Order) override;

 private:
  ledger::Ledger& ledger_;
  const wallets::Wallets& wallets_;
};

// Pays from wallets of the box on the main chain: one transaction of USDC for each share, all stored in one change
// before the first is sent. If one of them fails, the others are paid nevertheless, and the order counts as failed with
// a reason that says so.
class ChainSettlement final : public Settlement {
 public:
  // All of them must outlive this.
  ChainSettlement(transactions::Sender& sender, const wallets::Wallets& wallets, chains::Networks& networks,
                  chains::Balances& balances)
      : sender_(sender), wallets_(wallets), networks_(networks), balances_(balances) {}

  std::string network() const override;
  web::Task<web::Result<Progress>> settle(Order) override;

 private:
  // Why the order cannot be paid; nothing if it can, as far as one can tell before.
  web::Task<web::Result<std::optional<std::string>>> obstacle(const Order& order);

  transactions::Sender& sender_;
  const wallets::Wallets& wallets_;
  chains::Networks& networks_;
  chains::Balances& balances_;
};

}  // namespace settlement
