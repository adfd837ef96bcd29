// Acts upon Stripe's events: brings plans, storage, credits and payments up to date. Each event counts once, and the
// result does not depend on the order in which events arrive.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/credits/credits.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/mail/outbox.h"
#include "appliance/identity/site.h"
#include "appliance/payments/stripe/event.h"
#include "appliance/payments/stripe/prices.h"
#include "store/store.h"
#include "web/result.h"
#include "web/server/async_mutex.h"
#include "web/task.h"

namespace payments::stripe {

// Callable from every thread; the arguments must outlive it.
class Events {
 public:
  Events(store::System, const Prices&, const billing::Subscriptions&, const credits::Credits&, audit::Audit&,
         mail::Outbox&, const agentbox::Site&, std::vector<std::string> admin_emails, boost::asio::io_context& home);

  // Adds to the change that records a user's payment. Before anything is served.
  using Paid = std::function<void(store::Change&, store::UserId)>;
  void when_paid(Paid paid) { paid_ = std::move(paid); }

  // `body`: an event whose signature was verified. Durable once this returns; false: the event was received before.
  // An event about a customer or a payment that the box does not know yet waits for the one that tells. Errors of
  // Event::parse.
  web::Task<web::Result<bool>> receive(std::string body);
  // Acts upon events that wait although the box has learned what they waited for: it died in between. Forgets events
  // older than 90 days: Stripe sends none again after 30.
  web::Task<> sweep(store::Time now);

 private:
  // What acting upon an event has added to its change.
  struct Effects {
    std::string waits_for;             // see ReceivedEvent; nothing was added
    std::vector<std::string> learned;  // ids that other events may wait for
    std::vector<audit::Entry> audited;
    std::vector<mail::Letter> letters;
    void note(store::UserId, std::string act);
  };

  // Adds to the change of an event what is stored about the event itself.
  using Record = std::function<void(store::Change&, const std::string& waits_for)>;

  web::Task<bool> receive_one(Event, std::string body);
  // Acts upon an event, and returns what was learned.
  web::Task<std::vector<std::string>> apply(const Event&, const Record&);
  web::Task<> resume(std::vector<std::string> learned);
  web::Task<> resume_all();
  Effects act(store::Change&, const Event&) const;
  store::UserId user_of(const Event&) const;
  void link_customer(store::Change&, Effects&, store::UserId, const std::string& customer) const;
  // `paid`: the payment that the same event tells; may be null.
  void follow_subscription(store::Change&, Effects&, store::UserId, const SubscriptionReport&,
                           const Payment* paid) const;
  // The user's storage and plan, after a change of the subscription.
  void follow_storage(store::Change&, const StripeSubscription& changed) const;
  void follow_plan(store::Change&, Effects&, const StripeSubscription& changed) const;
  void take_session(store::Change&, Effects&, store::UserId, const Event&) const;
  // The payment that an event about an invoice tells, if it tells one.
  std::optional<Payment> invoiced_payment(store::UserId, const Event&) const;
  void put_payment(store::Change&, Effects&, Payment) const;
  // Adds which payment paid an invoice.
  void link_payment(store::Change&, Effects&, const Event&) const;
  // Takes back what a disputed payment paid for, and gives it back once the dispute is won.
  void follow_dispute(store::Change&, Effects&, const Event&) const;
  void take_back_credits(store::Change&, const Payment&, Dispute&, const Event&) const;
  void suspend_disputed(store::Change&, Effects&, const Payment&) const;
  // Whether the newest payment for the subscription is disputed; `changed` counts in place of its stored form.
  bool is_disputed(const StripeSubscription&, const Payment* changed) const;
  // To each administrator.
  std::vector<mail::Letter> letters_about(const Payment&, const Dispute&) const;
  // To the user whose payment has failed.
  mail::Letter letter_about(const Payment&) const;
  void refund(store::Change&, Effects&, const Event&) const;

  store::System system_;
  const Prices& prices_;
  const billing::Subscriptions& subscriptions_;
  const credits::Credits& credits_;
  audit::Audit& audit_;
  mail::Outbox& outbox_;
  const agentbox::Site& site_;
  const std::vector<std::string> admin_emails_;
  boost::asio::io_context& home_;
  Paid paid_;
  web::AsyncMutex one_at_a_time_;  // used on `home`
};

}  // namespace payments::stripe
