#pragma once

#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/failure_counter.h"
#include "appliance/identity/security_events/security_events.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace security_events {

// What the rows depend on; all of it must outlive them.
struct Services {
  SecurityEvents& events;
  audit::FailureCounter& failures;
  boost::asio::thread_pool& blocking;  // for reads of the whole table
};

struct ReceiverInfo {
  std::string status = "ok", endpoint = "/api/security/risc";
  std::string description = "Receives security event tokens (RFC 8417) of the identity provider.";
  std::vector<std::string> events_supported = supported_events();
};
BOOST_DESCRIBE_STRUCT(ReceiverInfo, (), (status, endpoint, description, events_supported))

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

// Both receivers, and for administrators the events received and what was done about them.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The events received, for the backend.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace security_events
