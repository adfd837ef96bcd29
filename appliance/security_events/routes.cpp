#include "appliance/security_events/routes.h"

#include "web/endpoint.h"

namespace security_events {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

const web::RateLimit deliveries{.group = "security-events", .limit = 600};

struct Health {
  std::string status = "ok", endpoint = "/api/security/risc";
  std::string description = "Receives security event tokens (RFC 8417) of the identity provider.";
  std::vector<std::string> events_supported = supported_events();
};
BOOST_DESCRIBE_STRUCT(Health, (), (status, endpoint, description, events_supported))

struct ListQuery {
  std::optional<web::Integer<1, 1000>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit))

struct EventView {
  std::string jti, subject, email;
  std::vector<Event> events;
  Progress progress;
  std::vector<std::string> actions;
  store::Time receivedAt;
};
BOOST_DESCRIBE_STRUCT(EventView, (), (jti, subject, email, events, progress, actions, receivedAt))

struct EventList {
  std::vector<EventView> events;
};
BOOST_DESCRIBE_STRUCT(EventList, (), (events))

web::Route receiver(SecurityEvents& events, const web::Guard& guard, std::string path, Matching matching,
                    std::string summary) {
  const auto receive = [&events, matching](web::Request& request) -> Answer {
    const auto stored = co_await events.receive(request.body, matching);
    if (!stored) co_return stored.error();
    co_return web::text("", "text/plain; charset=utf-8", 202);
  };
  auto endpoint = web::plain(receive).describe(
      "The body is the token itself, signed RS256 or ES256 by a key of the issuer's RISC configuration. 202 once it is "
      "stored; what follows from it is done in the background. Refusals carry `err` and `description` of RFC 8935.");
  endpoint.success = 202;
  return {web::POST, std::move(path), guard, &deliveries, std::move(endpoint), std::move(summary)};
}

}  // namespace

std::vector<web::Route> routes(SecurityEvents& events, const agentbox::Guards& guards) {
  const auto health = [](web::Request&) -> Answer {
    const Health answer;
    co_return web::reply(answer, 200);
  };
  std::vector<web::Route> table{
      {web::GET, "/api/security/risc", guards.none, nullptr, web::plain(health).returns<Health>(),
       "Which security events are understood"},
  };
  table.push_back(
      receiver(events, guards.none, "/api/security/risc", Matching::by_subject_or_email, "Receive a security event"));
  table.push_back(receiver(events, guards.none, "/api/auth/idp/risc", Matching::by_email,
                           "Receive a security event, matched by email alone (superseded)"));
  return table;
}

std::vector<web::Route> admin_routes(SecurityEvents& events, boost::asio::thread_pool& blocking,
                                     const agentbox::Guards& guards) {
  const auto list = [&events, &blocking](web::Request&, ListQuery query) -> Answer {
    const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : 100);
    auto read = [&events, limit] {
      EventList answer;
      for (auto& event : events.list(limit))
        answer.events.push_back(
            {event.jti, event.subject, event.email, event.events, event.progress, event.actions, event.received_at});
      return answer;
    };
    const auto answer = co_await web::offload(blocking, std::move(read));
    co_return web::reply(answer, 200);
  };
  return {{web::GET, "/api/admin/security-events", guards.internal_key, nullptr,
           web::query<ListQuery>(list).returns<EventList>(), "Security events and what was done, newest first"}};
}

}  // namespace security_events
