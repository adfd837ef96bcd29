#include "appliance/identity/security_events/routes.h"

#include "appliance/identity/security_events/handlers.h"
#include "web/routes/endpoint.h"

namespace security_events {

namespace {

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
