#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/security_events/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace security_events {

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

web::Answer show_receiver(const Services&, const web::Request&);
// The body is the token itself; 202 once it is stored.
web::Answer receive_event(const Services&, const web::Request&);
web::Answer receive_event_by_email(const Services&, const web::Request&);
web::Answer list_events(const Services&, const web::Request&, ListQuery);

}  // namespace security_events
