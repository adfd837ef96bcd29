#include "appliance/network/events/events.h"

#include <algorithm>

#include "appliance/foundation/timestamp.h"
#include "appliance/network/bus/participant.h"
#include "store/transact.h"

namespace events {

namespace {

constexpr std::size_t max_decimals = 6;
constexpr std::int64_t highest_price = 1'000'000;

// A date with a time, in UTC unless it has an offset; or a date alone, which begins at midnight UTC.
std::optional<store::Time> parse_date(const std::string& text) {
  for (const auto* missing : {"", "Z", "T00:00:00Z"})
    if (const auto parsed = agentbox::parse_timestamp(text + missing)) return parsed;
  return std::nullopt;
}

}  // namespace

std::optional<store::Decimal> parse_price(std::string_view text) {
  const auto point = text.find('.');
  if (point != std::string_view::npos && text.size() - point - 1 > max_decimals) return std::nullopt;
  const auto price = store::Decimal::parse(text);
  const auto highest = store::Decimal::of_units(store::Decimal::units_per_one * highest_price);
  if (!price || *price < store::Decimal() || *price > highest) return std::nullopt;
  return price;
}

web::Task<web::Result<Event>> Events::create(NewEvent wanted) {
  const auto date = parse_date(wanted.event_date);
  if (!date) co_return web::invalid("eventDate must be a date of ISO 8601, such as 2027-05-01T19:30:00Z");
  const auto price = parse_price(wanted.ticket_price);
  if (!price)
    co_return web::invalid(
        "ticketPriceUsdc must be a decimal from 0 to 1000000 with at most six decimals, as a string");
  const auto agent = bus::find_participant(system_, wanted.agent);
  if (!agent) co_return web::not_found("No such agent");
  const auto id = co_await system_.next_id("underground_events");
  Event event{.id = id,
              .owner = agent->value.owner,
              .agent = std::move(wanted.agent),
              .name = std::move(wanted.name),
              .description = std::move(wanted.description),
              .venue = std::move(wanted.venue),
              .event_date = *date,
              .ticket_price = std::move(wanted.ticket_price),
              .price = *price,
              .total_tickets = wanted.total_tickets,
              .created_at = store::now()};
  const auto insert = [&](store::Change& change) -> web::Result<Event> {
    const auto current = bus::find_participant(system_, event.agent);
    if (!current) return web::not_found("No such agent");
    change.require(bus::participants, *current);  // its deletion removes its events only once
    change.insert(table, event);
    return event;
  };
  co_return co_await store::transact(system_, insert);
}

std::vector<Event> Events::list(const std::string& agent, std::size_t limit) const {
  if (agent.empty()) return system_.find_range(table, "date", std::string(), std::string("\xff"), limit);
  auto found = system_.find(table, "agent", agent, limit);
  std::ranges::stable_sort(found, std::ranges::greater(), &Event::event_date);
  return found;
}

web::Task<> Events::forget(store::UserId, std::string agent) {
  for (;;) {
    auto change = system_.change();
    const auto found = system_.find(table, "agent", agent);
    for (const auto& event : found)
      if (const auto row = system_.get(table, event.id)) change.erase(table, *row);
    if (found.empty()) co_return;
    co_await change.commit();
  }
}

}  // namespace events
