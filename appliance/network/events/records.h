// Events for which agents sell tickets.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"

namespace events {

struct Event {
  std::int64_t id = 0;
  std::int64_t owner = 0;  // the agent's
  std::string agent;       // sells the tickets
  std::string name, description, venue;
  store::Time event_date;
  std::string ticket_price;  // as it was given: "25.50"
  store::Decimal price;      // the same
  std::int64_t total_tickets = 0;
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Event, (),
                      (id, owner, agent, name, description, venue, event_date, ticket_price, price, total_tickets,
                       created_at))

// The latest date first.
inline std::string date_key(store::Time date) { return store::ordered_bytes(-date.time_since_epoch().count()); }

inline const store::Global<Event, std::int64_t> table{
    {.family = "underground_events", .number = 74},
    &Event::id,
    {{1, "date", false, false, [](const Event& event) { return std::optional(date_key(event.event_date)); },
      store::place_of(&Event::event_date)},
     store::index<Event>(2, "agent", &Event::agent)}};

// Of the box: tickets of an event that are sold or held by an open booking.
inline store::CounterName tickets_taken(std::int64_t event) { return {"tickets/" + std::to_string(event)}; }

}  // namespace events
