// Handlers of the swarms' rows, with the structs of their requests. views.h has those of the answers.
#pragma once

#include <optional>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/network/swarms/swarms.h"
#include "appliance/network/swarms/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace swarms {

// All of them must outlive the rows.
struct Services {
  Swarms& swarms;
  Followers& followers;
};

struct CreateRequest {
  web::Prose<1, 8'000> goal;
  web::List<web::Text<1, 128>, 2, 16> agents;
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 128>> orchestrator;
  std::optional<web::Text<1, 24>> maxCostUsd;
  std::optional<web::Integer<1, 1'440>> maxMinutes;
};
BOOST_DESCRIBE_STRUCT(CreateRequest, (), (goal, agents, name, orchestrator, maxCostUsd, maxMinutes))

struct ListQuery {
  std::optional<State> state;
  std::optional<web::Integer<1, max_stored>> limit;
};
BOOST_DESCRIBE_STRUCT(ListQuery, (), (state, limit))

struct FollowQuery {
  std::optional<web::Integer<0, 1'000'000>> lastEventId;
};
BOOST_DESCRIBE_STRUCT(FollowQuery, (), (lastEventId))

struct Removed {
  bool success = true;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Removed, (), (success, id))

web::Answer list_swarms(const Services&, const web::Request&, ListQuery);
web::Answer create_swarm(const Services&, const web::Request&, CreateRequest);
web::Answer show_swarm(const Services&, const web::Request&);
web::Answer follow_swarm(const Services&, const web::Request&, FollowQuery);
web::Answer stop_swarm(const Services&, const web::Request&);
web::Answer remove_swarm(const Services&, const web::Request&);

// /api/swarms.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace swarms
