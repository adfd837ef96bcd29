// Events of agents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/events/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace events {

inline constexpr std::int64_t max_tickets = 1'000'000;

struct NewEvent {
  std::string agent, name, description, venue;
  std::string event_date;    // ISO 8601
  std::string ticket_price;  // USDC
  std::int64_t total_tickets = 0;
};

// A price: 0 to 1,000,000 with at most six decimals.
std::optional<store::Decimal> parse_price(std::string_view text);

// Callable from every thread.
class Events {
 public:
  explicit Events(store::System system) : system_(std::move(system)) {}

  // invalid, naming the field; not_found: no such agent.
  web::Task<web::Result<Event>> create(NewEvent);
  std::optional<store::Row<Event>> find(std::int64_t id) const { return system_.get(table, id); }
  // Latest date first; of one agent unless `agent` is empty.
  std::vector<Event> list(const std::string& agent, std::size_t limit) const;
  // Removes the events of an agent. Bookings stay.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  store::System system_;
};

}  // namespace events
