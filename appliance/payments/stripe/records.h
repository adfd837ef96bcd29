// What is stored about users' business with Stripe.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "appliance/billing/usage/period.h"
#include "store/table.h"

namespace payments::stripe {

struct Customer {
  std::int64_t user_id = 0;
  std::string id = "customer";  // record id within the owner; there is one
  std::string customer;         // cus_...; unique
};
BOOST_DESCRIBE_STRUCT(Customer, (), (user_id, id, customer))

inline const store::Owned<Customer> customers{{.family = "stripe_customers", .number = 120},
                                              &Customer::user_id,
                                              &Customer::id,
                                              {store::unique<Customer>(1, "customer", &Customer::customer)}};

// Where a value came from, so that the newest report wins in whatever order they arrive.
struct Stamp {
  std::int64_t created = 0;  // seconds, by Stripe's clock
  std::int64_t rank = 0;     // among reports of the same second: see SubscriptionReport
  auto operator<=>(const Stamp&) const = default;
};
BOOST_DESCRIBE_STRUCT(Stamp, (), (created, rank))

// A subscription at Stripe, as the events about it tell.
struct StripeSubscription {
  std::string id;  // sub_...
  std::int64_t user_id = 0;
  std::string item;    // Item::name: "solo", "storage.10"
  std::string status;  // Stripe's: active, past_due, canceled, ...
  Stamp item_from, status_from;
  bool is_disputed = false;  // its newest payment was charged back: it gives nothing meanwhile
};
BOOST_DESCRIBE_STRUCT(StripeSubscription, (), (id, user_id, item, status, item_from, status_from, is_disputed))

inline const store::Global<StripeSubscription> stripe_subscriptions{
    {.family = "stripe_subscriptions", .number = 121},
    &StripeSubscription::id,
    {store::index<StripeSubscription>(1, "user", &StripeSubscription::user_id)}};

// An event that was acknowledged. Kept for as long as Stripe or its operator may send it again.
struct ReceivedEvent {
  std::string id;  // evt_...
  std::string type;
  store::Time received_at{};
  // What the event needs and is not known yet: a customer's or a payment's id. Empty: the event was acted upon.
  std::string waits_for;
  std::string body;  // while it waits
};
BOOST_DESCRIBE_STRUCT(ReceivedEvent, (), (id, type, received_at, waits_for, body))

inline const store::Global<ReceivedEvent> received_events{
    {.family = "stripe_events", .number = 122},
    &ReceivedEvent::id,
    {store::index<ReceivedEvent>(1, "received_at", &ReceivedEvent::received_at),
     store::index<ReceivedEvent>(2, "waits_for", &ReceivedEvent::waits_for)}};

// A cardholder's objection to a payment, as the events about it tell.
struct Dispute {
  std::string id;            // dp_...
  std::int64_t amount = 0;   // in the currency's smallest unit
  std::string status;        // Stripe's: needs_response, under_review, won, lost, warning_closed, ...
  std::int64_t created = 0;  // of the event with this status: seconds, by Stripe's clock
  std::int64_t taken = 0;    // Money::units of credits that are taken back for it
};
BOOST_DESCRIBE_STRUCT(Dispute, (), (id, amount, status, created, taken))

struct Payment {
  std::int64_t user_id = 0;
  std::string id;  // of the invoice or Checkout Session
  store::Time at{};
  std::string item;            // Item::name; may be empty
  std::int64_t amount = 0;     // in the currency's smallest unit
  std::int64_t refunded = 0;   // of it
  std::string currency;        // lower case: "gbp"
  bool is_paid = true;         // false: the attempt failed
  std::string payment_intent;  // pi_...; unique; may be empty
  std::string subscription;    // sub_..., of an invoice; empty in records of earlier versions
  std::string invoice;         // the id of an invoice whose payment another event tells; unique; may be empty
  std::vector<Dispute> disputes;
};
BOOST_DESCRIBE_STRUCT(Payment, (),
                      (user_id, id, at, item, amount, refunded, currency, is_paid, payment_intent, subscription,
                       invoice, disputes))

inline std::optional<std::string> payment_month(const Payment& payment) {
  return store::index_value(usage::Period::month(payment.at).name());
}

inline const store::Owned<Payment> received_payments{
    {.family = "card_payments", .number = 123},
    &Payment::user_id,
    &Payment::id,
    {store::unique<Payment>(1, "payment_intent", &Payment::payment_intent),
     {2, "month", false, true, payment_month},
     store::unique<Payment>(3, "invoice", &Payment::invoice)}};

}  // namespace payments::stripe
