#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/network/traces/traces.h"
#include "appliance/network/traces/views.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace traces {

// What the rows depend on; all of it must outlive them.
struct Services {
  Traces& traces;
};

inline constexpr std::int64_t max_on_page = 200;

// Of the rows that look for traces.
struct TraceQuery {
  std::optional<web::Text<1, 200>> agent;
  std::optional<spans::Type> type;
  std::optional<bool> errors;
  std::optional<web::Text<1, 40>> since, until;
  std::optional<web::Text<1, 64>> before;
  std::optional<web::Integer<1, max_on_page>> limit;
};
BOOST_DESCRIBE_STRUCT(TraceQuery, (), (agent, type, errors, since, until, before, limit))

// 0: the box itself.
using UserNumber = web::Integer<0, 9'007'199'254'740'991>;

struct UserTraceQuery : TraceQuery {
  UserNumber userId;
};
BOOST_DESCRIBE_STRUCT(UserTraceQuery, (TraceQuery), (userId))

struct UserQuery {
  UserNumber userId;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (userId))

struct TraceList {
  std::vector<TraceRow> traces;
  std::vector<SpanView> running;
  std::int64_t count = 0;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(TraceList, (), (traces, running, count, next))

struct TraceTree {
  TraceRow trace;
  std::vector<boost::json::object> spans;
  bool truncated = false;
};
BOOST_DESCRIBE_STRUCT(TraceTree, (), (trace, spans, truncated))

// /api/traces: of the session's user on the web listener, of any user on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace traces
