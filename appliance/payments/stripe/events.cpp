#include "appliance/payments/stripe/events.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "appliance/access/records.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/foundation/ordered_id.h"
#include "store/erase_range.h"
#include "web/run_on.h"

namespace payments::stripe {

namespace {

using usage::Money;
__extension__ using Wide = __int128;

constexpr std::chrono::days kept{90};
constexpr int max_attempts = 100;

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
    if (!item || item->kind != Item::Kind::plan || !is_in_force(each)) continue;
    const HeldPlan held{.plan = item->plan, .subscription = each.id};
    if (!best || std::pair(held.plan, held.subscription) > std::pair(best->plan, best->subscription)) best = held;
  }
  return best;
}

// The part of a pack of credits that belongs to a refunded part of its price, rounded down.
Money worth_of(const Payment& payment, std::int64_t refunded) {
  const auto item = Item::named(payment.item);
  if (!item || item->kind != Item::Kind::credits || payment.amount <= 0) return {};
  const auto all_credits = static_cast<Wide>(item->quantity) * credits::credit.units();
  return Money::of_units(static_cast<std::int64_t>(all_credits * std::min(refunded, payment.amount) / payment.amount));
}

}  // namespace

void Events::Effects::note(store::UserId user, std::string act) {
  audited.push_back({.act = std::move(act), .outcome = "ok", .user_id = user, .subject = {}, .address = {}});
}

Events::Events(store::System system, const Prices& prices, const billing::Subscriptions& subscriptions,
               const credits::Credits& credits, audit::Audit& audit, mail::Outbox& outbox, const agentbox::Site& site,
               std::vector<std::string> admin_emails, boost::asio::io_context& home)
    : system_(std::move(system)),
      prices_(prices),
      subscriptions_(subscriptions),
      credits_(credits),
      audit_(audit),
      outbox_(outbox),
      site_(site),
      admin_emails_(std::move(admin_emails)),
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
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
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
  if (event.type.starts_with("charge.dispute.")) {
    follow_dispute(change, effects, event);
    return effects;
  }
  if (event.type == "invoice_payment.paid") {
    link_payment(change, effects, event);
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
  const auto payment = is_invoice(event) ? invoiced_payment(user, event) : std::nullopt;
  const auto stored = payment ? system_.get(received_payments, user, payment->id) : std::nullopt;
  const bool is_news = payment && !(stored && stored->value.is_paid);
  if (const auto report = subscription_report(event, prices_))
    follow_subscription(change, effects, user, *report, is_news ? &*payment : nullptr);
  if (is_session(event)) take_session(change, effects, user, event);
  if (payment) put_payment(change, effects, *payment);
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
                                 const SubscriptionReport& report, const Payment* paid) const {
  auto row = system_.get(stripe_subscriptions, report.id);
  auto known = row ? row->value : StripeSubscription{.id = report.id};
  known.user_id = user;
  merge(known, report);
  known.is_disputed = is_disputed(known, paid);
  if (row) {
    row->value = known;
    change.update(stripe_subscriptions, *row);
  } else {
    change.insert(stripe_subscriptions, known);
  }
  follow_storage(change, known);
  follow_plan(change, effects, known);
}

void Events::follow_storage(store::Change& change, const StripeSubscription& changed) const {
  const auto item = Item::named(changed.item);
  if (!item || item->kind != Item::Kind::storage) return;
  billing::put_storage_upgrade(
      system_, change,
      {.user_id = changed.user_id, .id = changed.id, .gigabytes = item->quantity, .is_active = is_in_force(changed)});
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
  const auto status = event.text("payment_status");
  if (event.text("mode") != "payment" || (status != "paid" && status != "no_payment_required")) return;
  const auto id = event.text("id");
  const Payment payment{.user_id = user,
                        .id = id,
                        .at = time_of(event),
                        .item = event.item(),
                        .amount = event.number("amount_total"),
                        .currency = event.text("currency"),
                        .payment_intent = event.id_of("payment_intent")};
  if (status == "paid") put_payment(change, effects, payment);
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

std::optional<Payment> Events::invoiced_payment(store::UserId user, const Event& event) const {
  const bool is_paid = event.type == "invoice.paid";
  const auto amount = event.number(is_paid ? "amount_paid" : "amount_due");
  if (amount <= 0) return std::nullopt;
  const auto subscription = system_.get(stripe_subscriptions, event.subscription());
  Payment payment{.user_id = user,
                  .id = event.text("id"),
                  .at = time_of(event),
                  .item = subscription ? subscription->value.item : event.item(),
                  .amount = amount,
                  .currency = event.text("currency"),
                  .is_paid = is_paid,
                  .payment_intent = event.id_of("payment_intent"),
                  .subscription = event.subscription()};
  // Since the API of 2025 the event invoice_payment.paid tells it.
  if (payment.payment_intent.empty()) payment.invoice = payment.id;
  return payment;
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
  if (payment.is_paid && paid_) paid_(change, payment.user_id);
  if (payment.is_paid && !payment.payment_intent.empty()) effects.learned.push_back(payment.payment_intent);
  if (payment.is_paid && !payment.invoice.empty()) effects.learned.push_back(payment.invoice);
}

void Events::link_payment(store::Change& change, Effects& effects, const Event& event) const {
  const auto intent = event.id_of("payment.payment_intent");
  const auto invoice = event.id_of("invoice");
  if (intent.empty() || invoice.empty() || system_.find_unique(received_payments, "payment_intent", intent)) return;
  auto row = system_.find_unique(received_payments, "invoice", invoice);
  if (!row || !row->value.is_paid) {
    effects.waits_for = invoice;
    return;
  }
  row->value.payment_intent = intent;
  change.update(received_payments, *row);
  effects.learned.push_back(intent);
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

void Events::follow_dispute(store::Change& change, Effects& effects, const Event& event) const {
  const auto intent = event.id_of("payment_intent");
  const Dispute report{.id = event.text("id"),
                       .amount = event.number("amount"),
                       .status = event.text("status"),
                       .created = event.created};
  if (intent.empty() || report.id.empty() || report.status.empty()) return;
  auto row = system_.find_unique(received_payments, "payment_intent", intent);
  if (!row) {
    effects.waits_for = intent;
    return;
  }
  auto& payment = row->value;
  auto known = std::ranges::find(payment.disputes, report.id, &Dispute::id);
  if (known == payment.disputes.end()) known = payment.disputes.insert(known, Dispute{.id = report.id});
  const auto before = known->status;
  merge(*known, report);
  if (known->status == before) return;
  take_back_credits(change, payment, *known, event);
  change.update(received_payments, *row);
  suspend_disputed(change, effects, payment);
  effects.note(payment.user_id, "payment " + payment.id + " disputed: " + known->status);
  std::ranges::move(letters_about(payment, *known), std::back_inserter(effects.letters));
}

// What is spent already becomes a debt.
void Events::take_back_credits(store::Change& change, const Payment& payment, Dispute& dispute,
                               const Event& event) const {
  auto gone = payment.refunded;
  for (const auto& each : payment.disputes)
    if (each.id != dispute.id && takes_back(each)) gone += each.amount;
  Money owed;
  if (takes_back(dispute)) owed = worth_of(payment, gone + dispute.amount) - worth_of(payment, gone);
  const auto amount = Money::of_units(dispute.taken) - owed;
  if (amount == Money()) return;
  dispute.taken = owed.units();
  const auto now = store::now();
  credits::add_beyond_balance(change, {.user_id = payment.user_id,
                                       .id = agentbox::ordered_id(now),
                                       .at = now,
                                       .kind = credits::EntryKind::refunded,
                                       .amount = amount.units(),
                                       .reference = "stripe/" + event.id,
                                       .note = "payment disputed: " + dispute.status,
                                       .by = {}});
}

void Events::suspend_disputed(store::Change& change, Effects& effects, const Payment& payment) const {
  for (const auto& each : system_.find(stripe_subscriptions, "user", payment.user_id)) {
    const bool is_suspended = is_disputed(each, &payment);
    auto row = is_suspended == each.is_disputed ? std::nullopt : system_.get(stripe_subscriptions, each.id);
    if (!row) continue;
    row->value.is_disputed = is_suspended;
    change.update(stripe_subscriptions, *row);
    follow_storage(change, row->value);
    follow_plan(change, effects, row->value);
  }
}

bool Events::is_disputed(const StripeSubscription& subscription, const Payment* changed) const {
  const auto is_for = [&](const Payment& payment) {
    return payment.is_paid &&
           (payment.subscription.empty() ? payment.item == subscription.item : payment.subscription == subscription.id);
  };
  constexpr std::size_t all = 100'000;
  std::optional<Payment> newest;
  const auto consider = [&](const Payment& payment) {
    if (is_for(payment) && (!newest || std::pair(payment.at, payment.id) > std::pair(newest->at, newest->id)))
      newest = payment;
  };
  for (const auto& stored : system_.tenant(subscription.user_id).list(received_payments, {.limit = all}))
    if (!changed || stored.id != changed->id) consider(stored);
  if (changed) consider(*changed);
  return newest && std::ranges::any_of(newest->disputes, takes_back);
}

std::vector<mail::Letter> Events::letters_about(const Payment& payment, const Dispute& dispute) const {
  std::set<std::string> admins(admin_emails_.begin(), admin_emails_.end());
  system_.each(accounts::users, [&](const accounts::User& user) {
    if (user.is_admin && !user.is_disabled) admins.insert(user.email);
    return true;
  });
  const auto user = system_.get(accounts::users, payment.user_id);
  const std::string text =
      "The payment " + payment.id + " of " + (user ? user->value.email : "a deleted user") +
      " is disputed by the cardholder. Status at Stripe: " + dispute.status + ".\n\n" +
      (takes_back(dispute)
           ? "What it paid for has been taken back: credits are taken from the balance, also below zero, "
             "and a plan or storage that it paid for is suspended.\n\n"
           : "The user has what it paid for.\n\n") +
      "Answer disputes in Stripe's dashboard; one that is won gives back what was taken.\n";
  std::vector<mail::Letter> letters;
  for (const auto& to : admins) letters.push_back({.to = to, .subject = "A payment is disputed", .body = text});
  return letters;
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
  co_await store::erase_range(system_, received_events, "received_at", store::Time{}, now - kept);
}

}  // namespace payments::stripe
