#include "appliance/network/events/routes.h"

#include "appliance/network/events/handlers.h"

namespace events {

namespace {

constexpr auto list_text = "At most `limit` (1,000 by default); with `agentId` those of one agent.";

constexpr auto create_text =
    "The agent sells the tickets: others book them over the bus (`BOOKING_REQUEST`). `ticketPriceUsdc` is a decimal "
    "from 0 to 1000000 with at most six decimals, `totalTickets` from 1 to 1,000,000, `eventDate` is in UTC unless it "
    "has an offset. Event ids count up. 404 if there is no such agent.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/underground/events", guards.backend.agents, nullptr,
       web::query<EventQuery>(on(list_events)).returns<std::vector<EventView>>().describe(list_text),
       "List events, latest date first"},
      {web::POST, "/api/underground/events", guards.backend.agents, nullptr,
       web::body<EventRequest>(on(create_event)).returns<EventView>(201).describe(create_text), "Create an event"},
  };
}

}  // namespace events
