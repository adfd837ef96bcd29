// The internal double-entry ledger: USDC balances of users, agents, escrow and the box itself, which move between
// accounts and never go below zero. All balances sum to zero, because what the box has issued is the negative balance
// of one account, `outside`.
//
//   ledger::Order order{.reference = "booking/17", .from = ledger::of_agent(user, agent),
//                       .to = ledger::of_box("escrow"), .amount = price};
//   auto paid = co_await ledger.transfer(std::move(order));
//
// Each transfer has a reference, and happens once however often it is asked for. To move money together with something
// else, add it to that change: see post().
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/payments/ledger/records.h"
#include "appliance/payments/usdc.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace ledger {

using payments::Usdc;

struct Account {
  store::UserId owner = 0;  // 0: the box
  std::string name;         // without '/' except in "agent/<id>"
  auto operator<=>(const Account&) const = default;
};
Account of_user(store::UserId);
Account of_agent(store::UserId owner, std::string_view agent);
// An account of the box itself, such as "escrow" or "gateway".
Account of_box(std::string_view name);
// Where issued money comes from, and withdrawn money goes. The only account whose balance may be negative.
Account outside();

struct Order {
  std::string reference;  // 1 to 200 characters; each caller begins it with a prefix of its own: "split/12/0"
  Account from, to;
  Usdc amount;  // positive
  std::string memo{};
};

struct Page {
  std::size_t limit = 100;
  std::string before{};  // id of the last entry of the page before; empty: from the newest
};

// Callable from every thread; must not outlive the store.
class Ledger {
 public:
  explicit Ledger(store::System system) : system_(std::move(system)) {}

  Usdc balance(const Account&) const;
  // Newest first.
  std::vector<Entry> history(const Account&, const Page&) const;
  std::optional<Transfer> find(std::string_view reference) const;

  // Durable when it returns. With a known reference: the earlier transfer if it was the same, else conflict. Also
  // invalid: amount not positive, or both accounts are one; payment_required with INSUFFICIENT_BALANCE.
  web::Task<web::Result<Transfer>> transfer(Order);
  // All of them or none, in one change; the whole list is the unit that happens once.
  web::Task<web::Result<std::vector<Transfer>>> transfer_all(std::vector<Order>);

  // Adds a transfer to a change of the caller's, after the caller has looked up its reference. If the commit fails, see
  // refusal(). Throws std::invalid_argument for what transfer() calls invalid.
  Transfer post(store::Change&, const Order&) const;
  // Why a change with these transfers was refused: INSUFFICIENT_BALANCE, or a conflict with a reference that was used
  // in between. Nothing if something else of the change is the reason.
  static std::optional<web::Error> refusal(const store::Outcome&);

  // Compares every balance with the sum of its account's entries, and the sum of all entries with zero, as they are at
  // one moment. Returns a sentence for each difference. Reads the whole ledger; blocks.
  std::vector<std::string> differences() const;

 private:
  store::System system_;
};

}  // namespace ledger
