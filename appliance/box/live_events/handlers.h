#pragma once

#include <optional>

#include "appliance/box/live_events/routes.h"
#include "web/routes/endpoint.h"

namespace live_events {

struct FollowQuery {
  std::optional<web::Text<1, 64>> lastEventId;
};
BOOST_DESCRIBE_STRUCT(FollowQuery, (), (lastEventId))

web::Answer follow(const Services&, const web::Request&, FollowQuery);

}  // namespace live_events
