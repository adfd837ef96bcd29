// Signs transactions with wallets of the box, sends them, and follows them until they are confirmed.
//
// A transaction has a reference and happens once, wherever the process is killed: its nonce and its signed form are
// stored before a node gets it, and every later form has the same nonce. A wallet's transactions go out one after the
// other: the next is signed once the one before is in a block, so there is never a gap of nonces.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/crypto/ethereum_signer.h"
#include "appliance/foundation/periodic.h"
#include "appliance/payments/transfers/follower.h"
#include "appliance/payments/transfers/transaction_records.h"
#include "appliance/payments/wallets/balances.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace transactions {

struct Request {
  std::string reference;  // 1 to 200 characters; each caller begins it with a prefix of its own: "transfer/..."
  store::UserId owner = 0;
  std::string wallet;  // its id: see wallets::Wallet
  crypto::EthereumAddress from;
  std::uint64_t chain_id = 0;
  crypto::EthereumAddress to;
  std::string value{};  // wei, big-endian; empty: 0
  std::string data{};
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Sender {
 public:
  // All of them must outlive this.
  Sender(store::System, chains::Networks&, chains::Balances&, SignerOf, Policy, boost::asio::io_context& home);

  void start();
  web::Task<> stop();

  // Durable when it returns. The earlier transaction if the reference is known; conflict if that was another one.
  // unavailable for a chain that is not configured.
  web::Task<web::Result<Transaction>> send(Request);
  // All of them in one change, or none.
  web::Task<web::Result<std::vector<Transaction>>> send_all(std::vector<Request>);
  std::optional<Transaction> find(std::string_view reference) const;
  // Suspends until the transaction is in a block, or final, or for `at_most`. Returns it as it is then; throws
  // std::logic_error for an unknown reference.
  web::Task<Transaction> until_in_block(std::string reference, std::chrono::steady_clock::duration at_most) const;

 private:
  bool serves(std::uint64_t chain_id) const;

  store::System system_;
  std::vector<std::unique_ptr<Follower>> followers_;  // one for each chain that is configured
  std::vector<std::unique_ptr<agentbox::Periodic>> workers_;
};

}  // namespace transactions
