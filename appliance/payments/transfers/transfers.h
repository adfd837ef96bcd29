// Payments from wallets of the box: checked against the wallet's rules, counted, stored, and then made once, on the
// wallet's chain or, where the box has no chain, on its ledger.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/foundation/periodic.h"
#include "appliance/hosting/gate/gate.h"
#include "appliance/payments/ledger/ledger.h"
#include "appliance/payments/transfers/rules.h"
#include "appliance/payments/transfers/sender.h"
#include "appliance/payments/wallets/balances.h"
#include "appliance/payments/wallets/wallets.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace transfers {

inline constexpr auto gate_kind = "payment";

struct Payment {
  store::UserId owner = 0;
  std::string wallet;  // wallets::Wallet::id
  crypto::EthereumAddress to;
  Token token = Token::usdc;
  payments::Usdc amount;  // of the native token: millionths of it
  std::string key{};      // idempotency key; empty: the payment is a new one
  std::string memo{};
  std::string agent{};          // that pays; empty: the owner does
  std::string reason{};         // in the agent's words
  bool needs_approval = false;  // whatever the wallet's rules say
};

// A transfer, and the transaction that makes it on a chain, if there is one by now.
struct Report {
  Transfer transfer;
  std::optional<transactions::Transaction> transaction{};
};
// waiting, declined, queued, signed, sent, replaced, confirmed or failed.
std::string state_of(const Report&);

struct Page {
  std::size_t limit = 100;
  std::string before{};  // id of the last transfer of the page before
};

// Callable from every thread, except for start() and stop(): on the home thread.
class Transfers {
 public:
  // Payments that wait are questions of the gate. All of them must outlive this.
  Transfers(store::System, const wallets::Wallets&, ledger::Ledger&, chains::Networks&, chains::Balances&,
            transactions::Sender&, gate::Gate&, boost::asio::io_context& home);

  void start() { worker_.start(); }
  web::Task<> stop() { return worker_.stop(); }

  // Durable when it returns. With a known key: the earlier transfer if it was the same, else conflict. not_found: no
  // such wallet. invalid: the receiver. forbidden, RECEIVER_NOT_ALLOWED: not one of the rules' receivers.
  // payment_required, INSUFFICIENT_BALANCE. too_many, DAILY_LIMIT_REACHED.
  web::Task<web::Result<Report>> pay(Payment);
  // The owner's decision on a transfer that waits for it: the answer to its question, by the user. not_found; conflict
  // if it does not wait. When approving, also payment_required and too_many as above: it then goes on waiting.
  web::Task<web::Result<Report>> decide(store::UserId owner, std::string id, bool is_approved);

  std::optional<Report> find(store::UserId owner, std::string_view id) const;
  // Newest first.
  std::vector<Report> list(store::UserId owner, const Page&) const;

  // The chain that a wallet pays on; null: the box's ledger.
  chains::Network* network_of(std::string_view wallet) const;
  // As answers call it: "base", "ledger", ...
  std::string network_name(std::string_view wallet) const;

  SpendRules rules;

 private:
  gate::Executor executor();
  gate::Act act_of(const Transfer&, const Payment&) const;
  web::Result<Transfer> settle(store::Change&, store::Row<Transfer>, bool is_approved) const;
  web::Task<web::Result<Transfer>> decide_alone(store::UserId owner, std::string id, bool is_approved);
  web::Task<web::Result<void>> check(const Payment&, const wallets::Wallet&) const;
  // Adds to the change what makes the transfer happen: the counting, and the entries of the ledger.
  web::Result<void> authorize(store::Change&, Transfer&) const;
  bool is_cost(const Transfer&) const;
  web::Error refusal(const store::Outcome&, const Transfer&) const;
  Report report(Transfer) const;
  web::Task<> advance_all();
  web::Task<Transfer> advance(Transfer);
  web::Task<> hand_over(const Transfer&);
  web::Task<Transfer> finish(Transfer, const transactions::Transaction&);

  store::System system_;
  const wallets::Wallets& wallets_;
  ledger::Ledger& ledger_;
  chains::Networks& networks_;
  chains::Balances& balances_;
  transactions::Sender& sender_;
  gate::Gate& gate_;
  agentbox::Periodic worker_;
};

}  // namespace transfers
