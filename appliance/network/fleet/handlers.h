#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/network/fleet/costs.h"
#include "appliance/network/fleet/graph.h"
#include "appliance/network/negotiation/negotiation.h"
#include "appliance/network/traces/traces.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace fleet {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Souls& souls;
  traces::Traces& traces;
  const Costs& costs;
  const negotiation::Negotiation& negotiation;
  store::System system;
  const std::string& web_url;
};

// 0: the box itself, the owner of agents without a user.
using UserNumber = web::Integer<0, 9'007'199'254'740'991>;

struct UserQuery {
  UserNumber userId;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (userId))

struct PeriodQuery {
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(PeriodQuery, (), (period))

struct UserPeriodQuery {
  UserNumber userId;
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(UserPeriodQuery, (), (userId, period))

// Members that are null here are left out of the answer.
struct NodeView {
  std::string id, name;
  Role role;
  Status status;
  double x = 0, y = 0, load = 0, memory = 0;
  std::optional<double> fitness;
  std::optional<std::string> walletAddress;
  std::optional<std::int64_t> children, endpoints, cycles;
  std::optional<Regime> regime;
  std::optional<double> freeEnergy;
  std::optional<std::string> url;
};
BOOST_DESCRIBE_STRUCT(NodeView, (),
                      (id, name, role, status, x, y, load, memory, fitness, walletAddress, children, endpoints, cycles,
                       regime, freeEnergy, url))

struct EdgeView {
  std::string id, from, to;
  double strength = 0;
};
BOOST_DESCRIBE_STRUCT(EdgeView, (), (id, from, to, strength))

BOOST_DEFINE_ENUM_CLASS(Source, soul, fallback)

struct GraphAnswer {
  std::vector<NodeView> nodes;
  std::vector<EdgeView> edges;
  store::Time timestamp{};
  Source source = Source::soul;
  std::optional<std::int64_t> nodeCount;
};
BOOST_DESCRIBE_STRUCT(GraphAnswer, (), (nodes, edges, timestamp, source, nodeCount))

BOOST_DEFINE_ENUM_CLASS(TraceStatus, success, running, idle)

struct TraceView {
  std::string id;
  spans::Type type;
  std::string label, agent;
  TraceStatus status = TraceStatus::success;
  std::string duration;
  store::Time startedAt{};
  std::optional<std::int64_t> tokens;
};
BOOST_DESCRIBE_STRUCT(TraceView, (), (id, type, label, agent, status, duration, startedAt, tokens))

struct BookingView {
  std::int64_t id = 0, event_id = 0;
  std::string event_name;
  negotiation::State status{};
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(BookingView, (), (id, event_id, event_name, status, created_at))

struct CostView {
  std::string agent_id, total_spend, category;
};
BOOST_DESCRIBE_STRUCT(CostView, (), (agent_id, total_spend, category))

web::Answer show_graph(const Services&, const web::Request&, UserQuery);
web::Answer list_traces(const Services&, const web::Request&, UserQuery);
web::Answer list_costs(const Services&, const web::Request&, UserPeriodQuery);
web::Answer list_bookings(const Services&, const web::Request&, UserQuery);

// Of the session's user.
web::Answer show_own_graph(const Services&, const web::Request&);
web::Answer list_own_traces(const Services&, const web::Request&);
web::Answer list_own_costs(const Services&, const web::Request&, PeriodQuery);
web::Answer list_own_bookings(const Services&, const web::Request&);

// /api/mission-control/fleet/*: of the session's user on the web listener, of any user on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace fleet
