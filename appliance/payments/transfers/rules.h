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

// Callable from every thread; must not outlive the store.
class SpendRules {
 public:
  explicit SpendRules(store::System system) : system_(std::move(system)) {}

  // Without rules of its own an agent's wallet pays nothing that its owner has not approved; any other has no limits.
  Rules of(store::UserId owner, std::string_view wallet) const;
  web::Task<Rules> set(Rules);
  payments::Usdc spent(store::UserId owner, std::string_view wallet, std::string_view day) const;

  // Counts a payment against the day's limit, in the change that stores it; of a wallet without a limit, too.
  void count(store::Change&, const Rules&, std::string_view day, payments::Usdc) const;
  // Takes back what was counted.
  void uncount(store::Change&, store::UserId owner, std::string_view wallet, std::string_view day,
               payments::Usdc) const;
  // Whether a change was refused because of the day's limit.
  static bool is_over_limit(const store::Outcome&);

 private:
  store::System system_;
};

}  // namespace transfers
