#include "appliance/payments/stripe/events.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/foundation/ordered_id.h"
#include "appliance/identity/accounts/records.h"
#include "web/run_on.h"

namespace payments::stripe {

namespace {

using usage::Money;
__extension__ using Wide = __int128;

constexpr std::chrono::days kept{90};
constexpr int most_attempts = 100;

store::Time time_of(const Event& event) { return store::Time(std::chrono::seconds(event.created)); }

bool is_session(const Event& event) {
  return event.type == "checkout.session.completed" || event.type == "checkout.session.async_payment_succeeded";
}

bool is_invoice(const Event& event) { return event.type == "invoice.paid" || event.type == "invoice.payment_failed"; }

bool concerns_us(const Event& event) {
  return is_session(event) || is_invoice(event) || event.type.starts_with("customer.subscription.");
}

struct HeldPlan {
  billing::Plan plan;
  std::string subscription;
  bool operator==(const HeldPlan&) const = default;
};

// The largest plan that is paid for.
std::optional<HeldPlan> plan_of(const std::vector<StripeSubscription>& subscriptions) {
  std::optional<HeldPlan> best;
  for (const auto& each : subscriptions) {
    const auto item = Item::named(each.item);
    if (!item || item->kind != Item::Kind::plan || !is_in_force(each.status)) continue;
    const HeldPlan held{.plan = item->plan, .subscription = each.id};
    if (!best || std::pair(held.plan, held.subscription) > std::pair(best->plan, best->subscription)) best = held;
  }
  return best;
}

// The part of a pack of credits that belongs to a refunded part of its price, rounded down.
Money worth_of(const Payment& payment, std::int64_t refunded) {
  const auto item = Item::named(payment.item);
  if (!item || item->kind != Item::Kind::credits || payment.amount <= 0) return {};
  const auto whole = static_cast<Wide>(item->quantity) * credits::credit.units();
  return Money::of_units(static_cast<std::int64_t>(whole * std::min(refunded, payment.amount) / payment.amount));
}

}  // namespace

void Events::Effects::note(store::UserId user, std::string act) {
  audited.push_back({.act = std::move(act), .outcome = "ok", .user_id = user, .subject = {}, .address = {}});
}

Events::Events(store::System system, const Prices& prices, const billing::Subscriptions& subscriptions,
               const credits::Credits& credits, audit::Audit& audit, mail::Outbox& outbox, const agentbox::Site& site,
               boost::asio::io_context& home)
    : system_(std::move(system)),
      prices_(prices),
      subscriptions_(subscriptions),
      credits_(credits),
      audit_(audit),
      outbox_(outbox),
      site_(site),
      home_(home),
      one_at_a_time_(home.get_executor()) {}

web::Task<web::Result<bool>> Events::receive(std::string body) {
  auto event = Event::parse(body);
  if (!event) co_return event.error();
  co_return co_await web::run_on(home_, receive_one(std::move(*event), std::move(body)));
}

web::Task<bool> Events::receive_one(Event event, std::string body) {
  co_await one_at_a_time_.lock();
  const web::Unlock unlock(one_at_a_time_);
  if (system_.get(received_events, event.id)) co_return false;
  const Record record = [&](store::Change& change, const std::string& waits_for) {
    ReceivedEvent received{
        .id = event.id, .type = event.type, .received_at = store::now(), .waits_for = waits_for, .body = {}};
    if (!waits_for.empty()) received.body = body;
    change.insert(received_events, received);
  };
  auto learned = co_await apply(event, record);
  co_await resume(std::move(learned));
  co_return true;
}

web::Task<> Events::resume(std::vector<std::string> learned) {
  while (!learned.empty()) {
    const auto key = std::move(learned.back());
    learned.pop_back();
    for (const auto& waiting : system_.find(received_events, "waits_for", key)) {
      const auto event = Event::parse(waiting.body);
      if (!event) continue;
      const Record record = [&](store::Change& change, const std::string& waits_for) {
        auto row = system_.get(received_events, waiting.id);
        row->value.waits_for = waits_for == key ? std::string() : waits_for;
        if (row->value.waits_for.empty()) row->value.body.clear();
        change.update(received_events, *row);
      };
      std::ranges::move(co_await apply(*event, record), std::back_inserter(learned));
    }
  }
}

web::Task<std::vector<std::string>> Events::apply(const Event& event, const Record& record) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    auto change = system_.change();
    auto effects = act(change, event);
    record(change, effects.waits_for);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;  // something that it depends on has changed meanwhile
    for (auto& entry : effects.audited) co_await audit_.note(std::move(entry));
    for (auto& letter : effects.letters) co_await outbox_.post(std::move(letter));
    co_return std::move(effects.learned);
  }
  throw std::runtime_error("the event " + event.id + " of Stripe cannot be stored");
}

Events::Effects Events::act(store::Change& change, const Event& event) const {
  Effects effects;
  if (event.type == "charge.refunded") {
    refund(change, effects, event);
    return effects;
  }
  if (!concerns_us(event)) return effects;
  const auto customer = event.id_of("customer");
  const auto user = user_of(event);
  if (user == 0) {
    effects.waits_for = customer;
    return effects;
  }
  if (!system_.get(accounts::users, user)) return effects;
  link_customer(change, effects, user, customer);
  if (const auto report = subscription_report(event, prices_)) follow_subscription(change, effects, user, *report);
  if (is_session(event)) take_session(change, effects, user, event);
  if (is_invoice(event)) take_invoice(change, effects, user, event);
  return effects;
}

store::UserId Events::user_of(const Event& event) const {
  if (const auto user = event.user(); user != 0) return user;
  const auto customer = event.id_of("customer");
  if (customer.empty()) return 0;
  const auto known = system_.find_unique(customers, "customer", customer);
  return known ? known->value.user_id : 0;
}

void Events::link_customer(store::Change& change, Effects& effects, store::UserId user,
                           const std::string& customer) const {
  const Customer linked{.user_id = user, .customer = customer};
  if (customer.empty() || system_.find_unique(customers, "customer", customer)) return;
  if (system_.get(customers, user, linked.id)) return;
  change.insert(customers, linked);
  effects.learned.push_back(customer);
}

void Events::follow_subscription(store::Change& change, Effects& effects, store::UserId user,
                                 const SubscriptionReport& report) const {
  auto row = system_.get(stripe_subscriptions, report.id);
  auto known = row ? row->value : StripeSubscription{.id = report.id};
  known.user_id = user;
  merge(known, report);
  if (row) {
    row->value = known;
    change.update(stripe_subscriptions, *row);
  } else {
    change.insert(stripe_subscriptions, known);
  }
  const auto item = Item::named(known.item);
  if (item && item->kind == Item::Kind::storage) {
    billing::put_storage_upgrade(
        system_, change,
        {.user_id = user, .id = known.id, .gigabytes = item->quantity, .is_active = is_in_force(known.status)});
  }
  follow_plan(change, effects, known);
}

// Only a change at Stripe changes the user's plan: one that the administrator has set since stays.
void Events::follow_plan(store::Change& change, Effects& effects, const StripeSubscription& changed) const {
  auto all = system_.find(stripe_subscriptions, "user", changed.user_id);
  const auto before = plan_of(all);
  std::erase_if(all, [&](const StripeSubscription& each) { return each.id == changed.id; });
  all.push_back(changed);
  const auto after = plan_of(all);
  if (before == after) return;
  if (after) {
    subscriptions_.put(change, changed.user_id, after->plan, after->subscription);
    effects.note(changed.user_id, "plan " + std::string(billing::to_string(after->plan)) + " paid by card");
  } else {
    subscriptions_.end(change, changed.user_id, before->subscription);
    effects.note(changed.user_id, "plan paid by card ended");
  }
}

void Events::take_session(store::Change& change, Effects& effects, store::UserId user, const Event& event) const {
  if (event.text("mode") != "payment" || event.text("payment_status") != "paid") return;
  const auto id = event.text("id");
  put_payment(change, effects,
              {.user_id = user,
               .id = id,
               .at = time_of(event),
               .item = event.item(),
               .amount = event.number("amount_total"),
               .currency = event.text("currency"),
               .payment_intent = event.id_of("payment_intent")});
  const auto item = Item::named(event.item());
  const auto reference = "stripe/" + id;
  if (!item || item->kind != Item::Kind::credits || id.empty() ||
      system_.find_unique(credits::entries, "reference", reference))
    return;
  const auto now = store::now();
  credits::add(change, {.user_id = user,
                        .id = agentbox::ordered_id(now),
                        .at = now,
                        .kind = credits::EntryKind::bought,
                        .amount = item->quantity * credits::credit.units(),
                        .reference = reference,
                        .note = item->title(),
                        .by = {}});
  effects.note(user, item->title() + " bought by card");
}

void Events::take_invoice(store::Change& change, Effects& effects, store::UserId user, const Event& event) const {
  const bool is_paid = event.type == "invoice.paid";
  const auto amount = event.number(is_paid ? "amount_paid" : "amount_due");
  if (amount <= 0) return;
  const auto subscription = system_.get(stripe_subscriptions, event.subscription());
  put_payment(change, effects,
              {.user_id = user,
               .id = event.text("id"),
               .at = time_of(event),
               .item = subscription ? subscription->value.item : event.item(),
               .amount = amount,
               .currency = event.text("currency"),
               .is_paid = is_paid,
               .payment_intent = event.id_of("payment_intent")});
}

// An invoice that was paid stays so, whatever arrives after.
void Events::put_payment(store::Change& change, Effects& effects, Payment payment) const {
  if (payment.id.empty()) return;
  const auto other = system_.find_unique(received_payments, "payment_intent", payment.payment_intent);
  if (other && other->value.id != payment.id) payment.payment_intent.clear();
  if (auto row = system_.get(received_payments, payment.user_id, payment.id)) {
    if (row->value.is_paid || !payment.is_paid) return;
    row->value = payment;
    change.update(received_payments, *row);
  } else {
    change.insert(received_payments, payment);
    if (!payment.is_paid) effects.letters.push_back(letter_about(payment));
  }
  if (payment.is_paid && !payment.payment_intent.empty()) effects.learned.push_back(payment.payment_intent);
}

mail::Letter Events::letter_about(const Payment& payment) const {
  const auto user = system_.get(accounts::users, payment.user_id);
  const auto item = Item::named(payment.item);
  const std::string what = item ? item->title() : "your subscription";
  return {.to = user ? user->value.email : std::string(),
          .subject = "A payment has failed",
          .body = "The payment for " + what + " at " + site_.origin() +
                  " has failed. Your card may have expired, or your bank may have refused it.\n\n"
                  "Nothing is lost: the payment is tried again in the next days. To use another card, open\n\n  " +
                  site_.url("/api/stripe/portal") + "\n"};
}

// Takes back the credits that were paid for with what is refunded, as far as they are left.
void Events::refund(store::Change& change, Effects& effects, const Event& event) const {
  const auto intent = event.id_of("payment_intent");
  if (intent.empty()) return;
  auto row = system_.find_unique(received_payments, "payment_intent", intent);
  if (!row) {
    effects.waits_for = intent;
    return;
  }
  auto& payment = row->value;
  const auto refunded = event.number("amount_refunded");
  if (refunded <= payment.refunded) return;
  const auto owed = worth_of(payment, refunded) - worth_of(payment, payment.refunded);
  payment.refunded = refunded;
  change.update(received_payments, *row);
  const auto left = credits_.balance(payment.user_id).available;
  const auto taken = std::min(owed, left);
  effects.note(payment.user_id, "payment " + payment.id + " refunded");
  if (taken <= Money()) return;
  const auto now = store::now();
  credits::add(change, {.user_id = payment.user_id,
                        .id = agentbox::ordered_id(now),
                        .at = now,
                        .kind = credits::EntryKind::refunded,
                        .amount = -taken.units(),
                        .reference = "stripe/" + event.id,
                        .note = taken < owed ? "refund, as far as credits were left" : "refund",
                        .by = {}});
}

web::Task<> Events::resume_all() {
  co_await one_at_a_time_.lock();
  const web::Unlock unlock(one_at_a_time_);
  std::set<std::string> keys;
  for (const auto& event : system_.find_range(received_events, "waits_for", std::string("!"), std::string("~")))
    keys.insert(event.waits_for);
  co_await resume({keys.begin(), keys.end()});
}

web::Task<> Events::sweep(store::Time now) {
  co_await web::run_on(home_, resume_all());
  constexpr std::size_t page = 500;
  for (std::size_t found = page; found == page;) {
    const auto old = system_.find_range(received_events, "received_at", store::Time{}, now - kept, page);
    found = old.size();
    auto change = system_.change();
    for (const auto& event : old)
      if (const auto row = system_.get(received_events, event.id)) change.erase(received_events, *row);
    co_await change.commit();
  }
}

}  // namespace payments::stripe
