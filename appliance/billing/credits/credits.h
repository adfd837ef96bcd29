// Credits: what users have bought or earned, and spend on model calls beyond the quota of their plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/credits/account.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace credits {

struct Balance {
  usage::Money available;  // negative: owed, after a chargeback of what is spent
  usage::Money reserved;   // for calls in progress
  usage::Money total() const { return available + reserved; }
  std::int64_t whole_credits() const { return available.units() / credit.units(); }
};

struct MonthSums {
  usage::Money opening, closing;                             // without reservations
  usage::Money bought, referral, spent, refunded, adjusted;  // spent and mostly refunded are negative
};

struct Adjustment {
  usage::Money amount;  // negative: taken
  std::string reason, by;
  std::string key;  // the caller's idempotency key, which counts once for the user; empty: each request adjusts
};

struct Adjusted {
  Entry entry;
  bool is_new = true;  // false: made by an earlier request with the same key
};

// Callable from every thread; must not outlive the store.
class Credits {
 public:
  explicit Credits(store::System system) : system_(std::move(system)) {}

  Balance balance(store::UserId) const;
  // Whether the user lets credits pay for model calls beyond the plan's quota.
  bool pays_calls(store::UserId) const;
  web::Task<> let_pay_calls(store::UserId, bool);
  // With a known key: the earlier entry if it was the same, else conflict with IDEMPOTENCY_KEY_ALREADY_USED. not_found:
  // no such user. conflict: it takes more than there is.
  web::Task<web::Result<Adjusted>> adjust(store::UserId, Adjustment);

  // Newest first; with `before`, only entries before that id.
  std::vector<Entry> newest(store::UserId, std::size_t limit, std::string before = {}) const;
  // Without those of model calls, oldest first.
  std::vector<Entry> listed(store::UserId, const usage::Period& month) const;
  // Exact: opening plus all kinds is closing.
  MonthSums sums(store::UserId, const usage::Period& month) const;

 private:
  std::optional<web::Result<Adjusted>> find_adjustment(const std::string& reference, const Adjustment&) const;

  store::System system_;
};

}  // namespace credits
