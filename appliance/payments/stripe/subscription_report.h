// What one event says about a subscription at Stripe, and how reports become a state that does not depend on the order
// in which they arrive.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/stripe/records.h"

namespace payments::stripe {

struct SubscriptionReport {
  // Of events of the same second the later in this list counts: an event about the subscription itself is a snapshot
  // of it, the others only imply its state.
  enum class Source { checkout, invoice, subscription };

  std::string id;
  std::int64_t created = 0;
  Source source = Source::subscription;
  std::int64_t user_id = 0;  // 0: the event does not say
  std::optional<std::string> item, status;
  // The item is that of the subscription's price. Otherwise it is what was bought in the beginning.
  bool is_item_current = false;
};

// The same for every order and number of the same reports.
void merge(StripeSubscription&, const SubscriptionReport&);

// Whether a subscription of this status gives what was bought: also while Stripe tries again to collect a payment.
bool is_in_force(std::string_view status);

}  // namespace payments::stripe
