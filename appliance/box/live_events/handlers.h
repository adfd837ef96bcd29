#pragma once

#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/live_events/hub.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace live_events {

struct Services {
  Hub& hub;
};

struct FollowQuery {
  std::optional<web::Text<1, 64>> lastEventId;
};
BOOST_DESCRIBE_STRUCT(FollowQuery, (), (lastEventId))

// GET /api/events.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace live_events
