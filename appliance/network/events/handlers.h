#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/network/events/events.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace events {

// What the rows depend on; it must outlive them.
struct Services {
  Events& events;
};

struct EventQuery {
  std::optional<web::Text<1, 128>> agentId;
  std::optional<web::Integer<1, 10'000>> limit;
};
BOOST_DESCRIBE_STRUCT(EventQuery, (), (agentId, limit))

struct EventRequest {
  web::Text<1, 128> agentId;
  web::Text<1, 200> name;
  web::Prose<1, 10'000> description;
  web::Text<1, 500> venue;
  web::Text<1, 64> eventDate;
  web::Text<1, 32> ticketPriceUsdc;
  web::Integer<1, max_tickets> totalTickets;
};
BOOST_DESCRIBE_STRUCT(EventRequest, (), (agentId, name, description, venue, eventDate, ticketPriceUsdc, totalTickets))

struct EventView {
  std::int64_t id;
  std::string agent_id, name, description, venue;
  store::Time event_date;
  std::string ticket_price_usdc;
  std::int64_t total_tickets;
};
BOOST_DESCRIBE_STRUCT(EventView, (),
                      (id, agent_id, name, description, venue, event_date, ticket_price_usdc, total_tickets))

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace events
