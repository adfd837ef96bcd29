#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/traces/routes.h"
#include "appliance/network/traces/views.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace traces {

inline constexpr std::int64_t most_on_page = 200;

// Of the rows that look for traces.
struct TraceQuery {
  std::optional<web::Text<1, 200>> agent;
  std::optional<spans::Type> type;
  std::optional<bool> errors;
  std::optional<web::Text<1, 40>> since, until;
  std::optional<web::Text<1, 64>> before;
  std::optional<web::Integer<1, most_on_page>> limit;
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

web::Answer list_own_traces(const Services&, const web::Request&, TraceQuery);
web::Answer show_own_trace(const Services&, const web::Request&);
web::Answer list_traces(const Services&, const web::Request&, UserTraceQuery);
web::Answer show_trace(const Services&, const web::Request&, UserQuery);

}  // namespace traces
