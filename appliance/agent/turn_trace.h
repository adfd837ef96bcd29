// What an agent reports of a turn: its tool calls and, unless the box has begun the turn, the turn itself. The box
// records the model calls, which pass through it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spans/records.h"
#include "appliance/billing/spans/trace_context.h"
#include "web/task.h"

namespace agent_process {

// Used on one thread.
class TurnTrace {
 public:
  using Clock = std::chrono::steady_clock;

  // Within the trace of the message, or as the root of a new one.
  TurnTrace(spans::TraceContext given, std::string_view message);

  // For the turn's model calls.
  const spans::TraceContext& context() const { return context_; }
  void add_tool_call(std::string_view name, store::Time started_at, Clock::duration took, bool failed,
                     boost::json::object attributes = {});
  // `error`: why it failed; empty: it has not.
  void end(std::string_view error);

  const std::vector<spans::Span>& spans() const { return spans_; }

 private:
  const bool is_root_;
  spans::TraceContext context_;
  std::string name_;
  const store::Time started_at_ = store::now();
  const Clock::time_point began_ = Clock::now();
  std::vector<spans::Span> spans_;
};

// Sends spans to the box: POST <backend>/v1/traces with the box token.
class SpanReporter {
 public:
  SpanReporter(const std::string& backend_url, std::string box_token, std::string agent_name)
      : url_(backend_url + "/v1/traces"), token_(std::move(box_token)), agent_name_(std::move(agent_name)) {}

  // Failures are logged: a turn does not depend on its report.
  web::Task<> send(const TurnTrace&) const;

 private:
  const std::string url_, token_, agent_name_;
};

}  // namespace agent_process
