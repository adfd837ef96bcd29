#include "appliance/identity/security_events/routes.h"

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
  std::optional<web::Integer<1, 10'000>> limit;
  std::optional<web::Text<1, 64>> before;
  std::optional<web::Text<1, 10>> format;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (limit, before, format))

struct EventView {
  std::string id, jti, subject, email;
  std::vector<Event> events;
  Progress progress;
  std::vector<std::string> actions;
  store::Time receivedAt;
};
BOOST_DESCRIBE_STRUCT(EventView, (), (id, jti, subject, email, events, progress, actions, receivedAt))

struct EventList {
  std::vector<EventView> events;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(EventList, (), (events, next))

EventView view(const Received& event) {
  return {event.id,     event.jti,      event.subject, event.email,
          event.events, event.progress, event.actions, event.received_at};
}

Answer list(SecurityEvents& events, boost::asio::thread_pool& blocking, ListQuery query) {
  const bool as_lines = query.format && *query.format == "jsonl";
  if (query.format && !as_lines && *query.format != "json") co_return web::invalid("format must be json or jsonl");
  const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : 100);
  const std::string before = query.before ? std::string(*query.before) : std::string();
  auto read = [&events, before, limit] { return events.list(before, limit); };
  const auto found = co_await web::offload(blocking, std::move(read));
  if (as_lines) {
    std::string lines;
    for (const Received& event : found) {
      web::write_json(lines, view(event));
      lines += '\n';
    }
    co_return web::text(std::move(lines), "application/x-ndjson");
  }
  EventList page;
  for (const Received& event : found) page.events.push_back(view(event));
  if (found.size() == limit) page.next = found.back().id;
  co_return web::reply(page, 200);
}

web::Route receiver(SecurityEvents& events, audit::FailureCounter& refusals, const web::Guard& guard, std::string path,
                    Matching matching, std::string summary) {
  const auto receive = [&events, &refusals, matching](web::Request& request) -> Answer {
    const auto is_new = co_await events.receive(request.body, matching);
    if (!is_new && is_new.error().kind == web::Kind::invalid)
      refusals.count(request, "security event refused", is_new.error().message);
    if (!is_new) co_return is_new.error();
    if (!*is_new) refusals.count(request, "security event repeated", "Received before");
    co_return web::text("", "text/plain; charset=utf-8", 202);
  };
  auto endpoint = web::plain(receive).describe(
      "The body is the token itself, signed RS256 or ES256 by a key of the issuer's RISC configuration. 202 once it is "
      "stored; what follows from it is done in the background. FailureCounter carry `err` and `description` of RFC "
      "8935.");
  endpoint.success = 202;
  return {web::POST, std::move(path), guard, &deliveries, std::move(endpoint), std::move(summary)};
}

}  // namespace

std::vector<web::Route> routes(SecurityEvents& events, audit::FailureCounter& refusals,
                               const agentbox::Guards& guards) {
  const auto health = [](web::Request&) -> Answer {
    const Health answer;
    co_return web::reply(answer, 200);
  };
  std::vector<web::Route> table{
      {web::GET, "/api/security/risc", guards.none, nullptr, web::plain(health).returns<Health>(),
       "Which security events are understood"},
  };
  table.push_back(receiver(events, refusals, guards.none, "/api/security/risc", Matching::by_subject_or_email,
                           "Receive a security event"));
  table.push_back(receiver(events, refusals, guards.none, "/api/auth/idp/risc", Matching::by_email,
                           "Receive a security event, matched by email alone (superseded)"));
  return table;
}

std::vector<web::Route> admin_routes(SecurityEvents& events, boost::asio::thread_pool& blocking,
                                     const web::Guard& guard) {
  const auto listing = [&events, &blocking](web::Request&, ListQuery query) {
    return list(events, blocking, std::move(query));
  };
  return {{web::GET, "/api/admin/security-events", guard, nullptr,
           web::query<ListQuery>(listing).returns<EventList>().describe(
               "`next` is the `before` of the following page. With format=jsonl one event a line; the last line's id "
               "leads on."),
           "Security events and what was done, newest first"}};
}

}  // namespace security_events
