// A2A messages that a user's agents may send a day (UTC), by the user's plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/billing/subscriptions/subscriptions.h"
#include "store/store.h"
#include "web/result.h"

namespace bus {

// Without a plan: 20.
std::int64_t messages_a_day(std::optional<billing::Plan>);

class DailyLimit {
 public:
  // Must outlive this.
  explicit DailyLimit(const billing::Subscriptions& subscriptions) : subscriptions_(subscriptions) {}

  // One message, counted in a change.
  struct Charge {
    std::string counter;
    std::int64_t limit;
    store::Time at;
    // Whether the change was refused because of it.
    bool exceeds(const store::Outcome& outcome) const {
      return outcome.kind == store::Outcome::Kind::over_bound && outcome.index == counter;
    }
    web::Error error() const;  // too_many, with `limit` and `resetsAt`
  };
  // `plan` is that of the sending agent, for agents of the box itself (owner 0).
  Charge add(store::Change&, store::UserId owner, std::string_view plan) const;

 private:
  const billing::Subscriptions& subscriptions_;
};

}  // namespace bus
