// Traces and spans as the API shows them.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/network/traces/traces.h"

namespace traces {

struct TraceRow {
  std::string id, name;
  spans::Type type;
  spans::Status status;
  std::optional<std::string> agentId, agentName;
  bool foreign = false;
  store::Time startedAt{};
  std::int64_t durationMs = 0, spans = 0, errors = 0, inputTokens = 0, outputTokens = 0;
  std::string cost;
};
BOOST_DESCRIBE_STRUCT(TraceRow, (),
                      (id, name, type, status, agentId, agentName, foreign, startedAt, durationMs, spans, errors,
                       inputTokens, outputTokens, cost))
TraceRow row_of(const spans::Trace&, const AgentNames&);

struct SpanView {
  std::string id, traceId;
  std::optional<std::string> parentId;
  std::string name;
  spans::Type type;
  spans::Status status;
  std::optional<std::string> agentId, agentName;
  bool foreign = false;
  store::Time startedAt{};
  std::optional<double> durationMs;
  std::optional<std::int64_t> inputTokens, outputTokens;
  std::string cost;
  std::optional<std::string> model, provider, error;
  boost::json::object attributes;
};
BOOST_DESCRIBE_STRUCT(SpanView, (),
                      (id, traceId, parentId, name, type, status, agentId, agentName, foreign, startedAt, durationMs,
                       inputTokens, outputTokens, cost, model, provider, error, attributes))
SpanView view_of(const spans::Span&, const AgentNames&);

// The spans as SpanViews with `children`. Those whose parent is not among them are roots; below a depth of 64, children
// are listed beside their parents.
boost::json::array tree_of(const std::vector<spans::Span>&, const AgentNames&);

}  // namespace traces
