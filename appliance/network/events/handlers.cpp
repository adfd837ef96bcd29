#include "appliance/network/events/handlers.h"

namespace events {

namespace {

constexpr std::size_t events_listed = 1'000;

EventView view_of(Event event) {
  return {.id = event.id,
          .agent_id = std::move(event.agent),
          .name = std::move(event.name),
          .description = std::move(event.description),
          .venue = std::move(event.venue),
          .event_date = event.event_date,
          .ticket_price_usdc = std::move(event.ticket_price),
          .total_tickets = event.total_tickets};
}

web::Answer list_events(const Services& services, const web::Request&, EventQuery query) {
  const auto limit = query.limit ? std::size_t(query.limit->value) : events_listed;
  const std::string agent = query.agentId ? std::string(*query.agentId) : std::string();
  std::vector<EventView> answer;
  for (auto& event : services.events.list(agent, limit)) answer.push_back(view_of(std::move(event)));
  co_return web::reply(answer, 200);
}

web::Answer create_event(const Services& services, const web::Request&, EventRequest body) {
  NewEvent wanted{.agent = std::move(body.agentId),
                  .name = std::move(body.name),
                  .description = std::move(body.description),
                  .venue = std::move(body.venue),
                  .event_date = std::move(body.eventDate),
                  .ticket_price = std::move(body.ticketPriceUsdc),
                  .total_tickets = body.totalTickets};
  auto created = co_await services.events.create(std::move(wanted));
  if (!created) co_return created.error();
  co_return web::reply(view_of(std::move(*created)), 201);
}

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
