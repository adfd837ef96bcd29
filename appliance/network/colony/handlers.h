#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/subscriptions/subscriptions.h"
#include "appliance/network/colony/colony.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace colony {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  const fleet::Souls& souls;
  const billing::Subscriptions& subscriptions;
  std::string_view engine;
};

BOOST_DEFINE_ENUM_CLASS(SoulState, active, idle, stale, offline)

struct Soul {
  SoulState state = SoulState::offline;
  std::int64_t reachable = 0, total = 0;
};
BOOST_DESCRIBE_STRUCT(Soul, (), (state, reachable, total))

struct Limits {
  std::optional<std::string> plan;
  std::optional<std::int64_t> agents, generations;
};
BOOST_DESCRIBE_STRUCT(Limits, (), (plan, agents, generations))

struct Diagnostics {
  std::string version, engine;
  AgentCounts agents;
  std::int64_t crashes = 0, repairs = 0;
  std::vector<std::string> problems;
};
BOOST_DESCRIBE_STRUCT(Diagnostics, (), (version, engine, agents, crashes, repairs, problems))

// `tree`: MemberViews with `children`.
struct Status {
  Soul soul;
  std::vector<MemberView> tree;
  std::int64_t count = 0, deepestGeneration = 0;
  Limits limits;
  Diagnostics diagnostics;
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(Status, (), (soul, tree, count, deepestGeneration, limits, diagnostics, timestamp))

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace colony
