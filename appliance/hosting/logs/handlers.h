// Handlers of the log rows, with the structs of their requests and answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/logs/hub.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace logs {

// All of them must outlive the rows.
struct Services {
  Hub& hub;
  runtime::Engine& engine;
  const agents::AgentDirectory& agents;
};

struct FollowQuery {
  std::optional<web::Integer<0, 1'000>> tail;
  std::optional<web::Text<1, 64>> lastEventId;
};
BOOST_DESCRIBE_STRUCT(FollowQuery, (), (tail, lastEventId))

struct HistoryQuery {
  std::optional<web::Integer<1, 5'000>> limit;
  std::optional<web::Text<1, 40>> since, until;
  std::optional<web::Text<1, 64>> after;
};
BOOST_DESCRIBE_STRUCT(HistoryQuery, (), (limit, since, until, after))

struct LineItem {
  std::string id;
  std::optional<store::Time> at;
  std::string text;
};
BOOST_DESCRIBE_STRUCT(LineItem, (), (id, at, text))

struct HistoryAnswer {
  std::vector<LineItem> lines;
  std::int64_t count = 0;
  bool skipped = false;
};
BOOST_DESCRIBE_STRUCT(HistoryAnswer, (), (lines, count, skipped))

struct StreamItem {
  std::string id, agentId;
  store::Time startedAt;
  std::int64_t lines;
};
BOOST_DESCRIBE_STRUCT(StreamItem, (), (id, agentId, startedAt, lines))

struct StreamList {
  std::vector<StreamItem> streams;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(StreamList, (), (streams, count))

struct StopAnswer {
  bool success = true;
  std::int64_t stopped = 0;
};
BOOST_DESCRIBE_STRUCT(StopAnswer, (), (success, stopped))

// Which agents and streams a listener's rows reach.
struct Scope {
  std::function<web::Result<agents::Agent>(const agents::AgentDirectory&, const web::Request&)> agent;
  std::function<std::optional<std::string>(const web::Request&)> reader;  // nullopt: all readers
};
Scope own_agents();
Scope all_agents();

web::Answer follow_log(const Services&, const Scope&, const web::Request&, FollowQuery);
web::Answer show_history(const Services&, const Scope&, const web::Request&, HistoryQuery);
web::Answer stop_streams(const Services&, const Scope&, const web::Request&);
web::Answer list_streams(const Services&, const Scope&, const web::Request&);

// /api/logs: on the web for the caller's agents, on the backend for all.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace logs
