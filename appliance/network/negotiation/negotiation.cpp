#include "appliance/network/negotiation/negotiation.h"

#include <algorithm>

#include "web/routes/fields.h"

namespace negotiation {

namespace {

constexpr std::int64_t max_tickets_of_booking = 1'000;

struct RequestPayload {
  web::Integer<1, INT64_MAX> eventId;
  web::Integer<1, max_tickets_of_booking> tickets;
};
BOOST_DESCRIBE_STRUCT(RequestPayload, (), (eventId, tickets))

struct StepPayload {
  web::Integer<1, INT64_MAX> bookingId;
  std::optional<web::Text<1, 32>> priceUsdc;
};
BOOST_DESCRIBE_STRUCT(StepPayload, (), (bookingId, priceUsdc))

constexpr std::string_view request_action = "BOOKING_REQUEST";
constexpr std::pair<std::string_view, Step> steps[] = {{"BOOKING_OFFER", Step::offer},
                                                       {"BOOKING_ACCEPT", Step::accept},
                                                       {"BOOKING_DECLINE", Step::decline},
                                                       {"BOOKING_CONFIRM", Step::confirm},
                                                       {"BOOKING_CANCEL", Step::cancel}};

std::string_view name_of(State state) { return boost::describe::enum_to_string(state, ""); }

boost::json::object context_of(const Booking& booking) {
  boost::json::object shown{{"id", booking.id},
                            {"eventId", booking.event},
                            {"eventName", booking.event_name},
                            {"tickets", booking.tickets},
                            {"priceUsdc", booking.price.to_string()},
                            {"status", name_of(booking.state)}};
  boost::json::object context;
  context["booking"] = std::move(shown);
  return context;
}

web::Error out_of_order(const Booking& booking) {
  auto error = web::conflict("The booking is " + std::string(name_of(booking.state)) + ".");
  error.extra["bookingId"] = booking.id;
  error.extra["status"] = name_of(booking.state);
  return error;
}

web::Error no_such_booking() { return web::not_found("No such booking"); }

// The recipient is the other party; `to` may be left out.
web::Result<void> check_recipient(const bus::Outgoing& message, const std::string& other) {
  if (message.to.empty() || message.to == other) return {};
  return web::invalid("to must be the other party of the booking");
}

void enter(Booking& booking, State state, store::Time now) {
  booking.state = state;
  booking.updated_at = now;
  booking.expires_at = may_expire(state) ? std::optional<store::Time>(now + patience) : std::nullopt;
}

void update(store::Change& change, const store::Row<Booking>& row) {
  change.update(bookings, row);
  if (!holds_tickets(row.value.state)) change.add(0, events::tickets_taken(row.value.event), -row.value.tickets);
}

}  // namespace

web::Task<web::Result<bus::Effect>> Negotiation::apply(store::Change& change, const bus::Outgoing& message,
                                                       const bus::Participant& sender) {
  if (message.action == request_action) co_return co_await request(change, message, sender);
  const auto* step = std::ranges::find(steps, message.action, &std::pair<std::string_view, Step>::first);
  if (step == std::end(steps)) {
    std::string names(request_action);
    for (const auto& [name, _] : steps) names.append(", ").append(name);
    co_return web::invalid("action must be one of: " + names);
  }
  co_return advance(change, message, sender, step->second);
}

web::Task<web::Result<bus::Effect>> Negotiation::request(store::Change& change, const bus::Outgoing& message,
                                                         const bus::Participant& sender) const {
  const auto payload = web::parse_value<RequestPayload>(message.payload, "payload");
  if (!payload) co_return payload.error();
  const auto event = events_.find(payload->eventId);
  if (!event) co_return web::not_found("No such event");
  const auto& sold = event->value;
  if (const auto right = check_recipient(message, sold.agent); !right) co_return right.error();
  if (sold.agent == sender.id) co_return web::invalid("payload.eventId must not be an event of the sender");
  const auto now = store::now();
  if (sold.event_date <= now) co_return web::conflict("The event has begun or is over.");
  const auto id = co_await system_.next_id("bookings");
  Booking booking{.id = id,
                  .event = sold.id,
                  .event_name = sold.name,
                  .seller = sold.agent,
                  .buyer = sender.id,
                  .seller_owner = sold.owner,
                  .buyer_owner = sender.owner,
                  .tickets = payload->tickets,
                  .price = sold.price * payload->tickets,
                  .state = {},
                  .created_at = now,
                  .updated_at = now,
                  .expires_at = {}};
  enter(booking, State::requested, now);
  change.require(events::table, *event);
  change.insert(bookings, booking);
  change.add(0, events::tickets_taken(sold.id), booking.tickets, sold.total_tickets);
  bus::Effect effect{.to = sold.agent, .context = context_of(booking)};
  co_return effect;
}

web::Result<bus::Effect> Negotiation::advance(store::Change& change, const bus::Outgoing& message,
                                              const bus::Participant& sender, Step step) const {
  const auto payload = web::parse_value<StepPayload>(message.payload, "payload");
  if (!payload) return payload.error();
  auto row = system_.get(bookings, payload->bookingId);
  if (!row || (row->value.seller != sender.id && row->value.buyer != sender.id)) return no_such_booking();
  auto& booking = row->value;
  const bool is_seller = booking.seller == sender.id;
  const auto& other = is_seller ? booking.buyer : booking.seller;
  if (const auto right = check_recipient(message, other); !right) return right.error();
  const auto entered = next(booking.state, step, is_seller ? Party::seller : Party::buyer);
  if (!entered) return out_of_order(booking);
  if (payload->priceUsdc) {
    const auto price = events::parse_price(*payload->priceUsdc);
    if (step != Step::offer) return web::invalid("payload.priceUsdc is only for BOOKING_OFFER");
    if (!price) return web::invalid("payload.priceUsdc must be a decimal from 0 to 1000000 with at most six decimals");
    booking.price = *price;
  }
  enter(booking, *entered, store::now());
  update(change, *row);
  return bus::Effect{.to = other, .context = context_of(booking)};
}

web::Error Negotiation::over_bound(const store::Outcome&, const bus::Outgoing& message) const {
  auto error = web::conflict("The event has not that many tickets left.");
  const auto payload = web::parse_value<RequestPayload>(message.payload, "payload");
  const auto event = payload ? events_.find(payload->eventId) : std::nullopt;
  if (!event) return error;
  const auto taken = system_.counter(0, events::tickets_taken(event->value.id));
  error.extra["available"] = std::max<std::int64_t>(0, event->value.total_tickets - taken);
  return error;
}

std::vector<Booking> Negotiation::of_user(store::UserId user, std::size_t limit) const {
  auto found = system_.find_range(bookings, "buyer", user_key(user), user_key(user + 1), limit);
  for (auto& sold : system_.find_range(bookings, "seller", user_key(user), user_key(user + 1), limit))
    if (sold.buyer_owner != user) found.push_back(std::move(sold));
  std::ranges::sort(found, std::ranges::greater(), &Booking::id);
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::optional<Booking> Negotiation::find(store::UserId user, std::int64_t booking) const {
  auto row = system_.get(bookings, booking);
  if (!row || (row->value.buyer_owner != user && row->value.seller_owner != user)) return std::nullopt;
  return std::move(row->value);
}

web::Result<Booking> Negotiation::settle(store::Change& change, std::int64_t booking) const {
  auto row = system_.get(bookings, booking);
  if (!row) return no_such_booking();
  const auto entered = next(row->value.state, Step::settle, Party::box);
  if (!entered) return out_of_order(row->value);
  enter(row->value, *entered, store::now());
  update(change, *row);
  return std::move(row->value);
}

web::Task<> Negotiation::expire(store::Time now) {
  for (const auto& waiting : system_.find_range(bookings, "expires", store::Time{}, now)) {
    auto row = system_.get(bookings, waiting.id);
    if (!row || !row->value.expires_at || *row->value.expires_at >= now) continue;
    const auto entered = next(row->value.state, Step::expire, Party::box);
    if (!entered) continue;
    enter(row->value, *entered, now);
    auto change = system_.change();
    update(change, *row);
    co_await change.commit();  // stale: a step came first
  }
}

}  // namespace negotiation
