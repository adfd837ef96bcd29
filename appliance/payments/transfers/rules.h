// What each wallet may pay: a limit for a UTC day, the receivers it may pay, and the amount above which its owner has
// to approve a payment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "appliance/payments/transfers/records.h"
#include "appliance/payments/usdc.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace transfers {

inline constexpr std::string_view all_time = "all";

// Callable from every thread; must not outlive the store.
class SpendRules {
 public:
  explicit SpendRules(store::System system) : system_(std::move(system)) {}

  // Without rules of its own an agent's wallet pays nothing that its owner has not approved; any other has no limits.
  Rules of(store::UserId owner, std::string_view wallet) const;
  web::Task<Rules> set(Rules);
  payments::Usdc spent(store::UserId owner, std::string_view wallet, std::string_view day) const;
  // What left the owner's wallets, in a month (2026-11) or `all_time`.
  payments::Usdc cost(store::UserId owner, std::string_view wallet, std::string_view period) const;

  // Counts a payment against the day's limit, in the change that stores it; of a wallet without a limit, too.
  void count(store::Change&, const Rules&, std::string_view day, payments::Usdc) const;
  // Adds to the costs of the day's month and of all time; a negative amount takes back.
  void add_cost(store::Change&, store::UserId owner, std::string_view wallet, std::string_view day,
                payments::Usdc) const;
  // Takes back what was counted.
  void uncount(store::Change&, store::UserId owner, std::string_view wallet, std::string_view day,
               payments::Usdc) const;
  // Whether a change was refused because of the day's limit.
  static bool is_over_limit(const store::Outcome&);

 private:
  store::System system_;
};

}  // namespace transfers
