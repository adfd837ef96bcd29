#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/colony/routes.h"
#include "web/routes/endpoint.h"

namespace colony {

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

web::Answer show_status(const Services&, const web::Request&);

}  // namespace colony
