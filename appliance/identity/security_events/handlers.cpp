#include "appliance/identity/security_events/handlers.h"

#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace security_events {

namespace {

constexpr std::size_t default_page = 100;

EventView view(const Received& event) {
  return {event.id,     event.jti,      event.subject, event.email,
          event.events, event.progress, event.actions, event.received_at};
}

web::Response as_json_lines(const std::vector<Received>& found) {
  std::string lines;
  for (const Received& event : found) {
    web::write_json(lines, view(event));
    lines += '\n';
  }
  return web::text(std::move(lines), "application/x-ndjson");
}

web::Answer receive(const Services& services, const web::Request& request, Matching matching) {
  const auto is_new = co_await services.events.receive(request.body, matching);
  if (!is_new && is_new.error().kind == web::Kind::invalid)
    services.failures.count(audit::failure_of(request, "security event refused", is_new.error().message));
  if (!is_new) co_return is_new.error();
  if (!*is_new) services.failures.count(audit::failure_of(request, "security event repeated", "Received before"));
  co_return web::text("", "text/plain; charset=utf-8", 202);
}

web::Answer show_receiver(const Services&, const web::Request&) {
  const ReceiverInfo answer;
  co_return web::reply(answer, 200);
}

// The body is the token itself; 202 once it is stored.
web::Answer receive_event(const Services& services, const web::Request& request) {
  return receive(services, request, Matching::by_subject_or_email);
}

web::Answer receive_event_by_email(const Services& services, const web::Request& request) {
  return receive(services, request, Matching::by_email);
}

web::Answer list_events(const Services& services, const web::Request&, ListQuery query) {
  const bool as_lines = query.format && *query.format == "jsonl";
  if (query.format && !as_lines && *query.format != "json") co_return web::invalid("format must be json or jsonl");
  const auto limit = query.limit ? static_cast<std::size_t>(query.limit->value) : default_page;
  const std::string before = query.before ? std::string(*query.before) : std::string();
  auto read = [&events = services.events, before, limit] { return events.list(before, limit); };
  const auto found = co_await web::offload(services.blocking, std::move(read));
  if (as_lines) co_return as_json_lines(found);
  EventList page;
  for (const Received& event : found) page.events.push_back(view(event));
  if (found.size() == limit) page.next = found.back().id;
  co_return web::reply(page, 200);
}

const web::RateLimit delivery_limit{.group = "security-events", .limit = 600};

web::Endpoint receiver(web::Handler handler) {
  web::Endpoint endpoint =
      web::plain(std::move(handler))
          .describe(
              "The body is the token itself, signed RS256, PS256, ES256 or EdDSA by a key of the issuer's RISC "
              "configuration. 202 once it is stored; it is acted upon in the background. Errors carry `err` and "
              "`description` of RFC 8935.");
  endpoint.success = 202;
  return endpoint;
}

std::vector<web::Route> admin_routes(const web::Guard& guard, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/security-events", guard, nullptr,
       web::query<ListQuery>(on(list_events))
           .returns<EventList>()
           .describe("`next` is the `before` of the following page. With format=jsonl one event per line; continue "
                     "before the id of the last line."),
       "Security events and what was done, newest first"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  std::vector<web::Route> table{
      {web::GET, "/api/security/risc", none, nullptr, web::plain(on(show_receiver)).returns<ReceiverInfo>(),
       "List the supported security events"},
      {web::POST, "/api/security/risc", none, &delivery_limit, receiver(on(receive_event)), "Receive a security event"},
      {web::POST, "/api/auth/idp/risc", none, &delivery_limit, receiver(on(receive_event_by_email)),
       "Receive a security event, matched by email alone (superseded)"},
  };
  web::append(table, admin_routes(guards.admin_session, on));
  return table;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return admin_routes(guards.backend.box, on);
}

}  // namespace security_events
