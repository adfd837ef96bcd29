// What one event says about a subscription at Stripe, and how reports become a state that does not depend on the order
// in which they arrive.
#pragma once

#include <optional>
#include <string>

#include "appliance/payments/stripe/records.h"
#include "store/store.h"
#include "web/result.h"

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

// Whether a subscription of this status is paid for: also while Stripe tries again to collect a payment.
bool is_in_force(std::string_view status);
// Whether the subscription gives what was bought.
bool is_in_force(const StripeSubscription&);

// The same for every order and number of the same reports.
void merge(Dispute&, const Dispute& report);
// Whether what the payment bought is taken back: while the dispute is open, and once it is lost.
bool takes_back(const Dispute&);

// SUBSCRIPTION_ACTIVE while Stripe would go on charging the user: that stands in the way of leaving.
std::optional<web::Error> obstacle_to_leaving(const store::System&, store::UserId);

}  // namespace payments::stripe
