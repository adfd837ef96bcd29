// Brings the transactions of one chain forward, step by step.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/crypto/ethereum_signer.h"
#include "appliance/payments/transfers/fees.h"
#include "appliance/payments/transfers/transaction_records.h"
#include "appliance/payments/wallets/balances.h"
#include "store/store.h"
#include "web/task.h"

namespace transactions {

// The key of a wallet of the box; nothing if the box does not keep it.
using SignerOf = std::function<std::optional<crypto::EthereumSigner>(store::UserId owner, std::string_view wallet)>;

struct Policy {
  std::uint64_t confirmations = 3;
  std::chrono::milliseconds stuck_after{60'000};
  std::uint64_t highest_fee = 500'000'000'000;  // wei for a unit of gas
};

// For one thread at a time. What it refers to must outlive it.
class Follower {
 public:
  Follower(store::System system, chains::Network& network, chains::Balances& balances, SignerOf signer_of,
           Policy policy)
      : system_(std::move(system)),
        network_(network),
        balances_(balances),
        signer_of_(std::move(signer_of)),
        policy_(policy) {}

  std::uint64_t chain_id() const { return network_.rpc.chain_id(); }
  // One round over all transactions that are not final. A chain that cannot be asked leaves them as they are.
  web::Task<> advance_all();

 private:
  std::map<std::string, std::vector<Transaction>> pending_lanes() const;
  // The transactions of one wallet, oldest first; `head` is the number of the chain's latest block.
  web::Task<> advance(std::vector<Transaction> lane, std::uint64_t head);
  // Of a transaction that has a nonce. Returns whether it is in a block.
  web::Task<bool> follow(Transaction& transaction, std::uint64_t head);
  web::Task<> sign_next(Transaction transaction);
  web::Task<> replace(Transaction& transaction);
  web::Task<> send(Transaction& transaction);
  web::Task<> note_overtaking(Transaction& transaction, std::uint64_t head);
  web::Task<std::optional<std::uint64_t>> next_nonce(const crypto::EthereumAddress&);
  // Stores a form of the transaction, before anybody gets it.
  web::Task<> add_attempt(Transaction& transaction, Offer offer, const crypto::EthereumSigner& signer, State state);
  web::Task<> finish(Transaction& transaction, State state, std::string reason);
  web::Task<> save(Transaction& transaction);

  store::System system_;
  chains::Network& network_;
  chains::Balances& balances_;
  const SignerOf signer_of_;
  const Policy policy_;
};

}  // namespace transactions
