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

}  // namespace

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

}  // namespace events
