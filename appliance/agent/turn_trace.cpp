#include "appliance/agent/turn_trace.h"

#include <boost/json.hpp>

#include "appliance/billing/spans/otlp_json.h"
#include "web/client/fetch.h"
#include "web/log.h"
#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::size_t max_name_bytes = 100;
constexpr std::chrono::seconds report_time{2};

std::int64_t microseconds(TurnTrace::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

TurnTrace::TurnTrace(spans::TraceContext given, std::string_view message)
    : is_root_(given.is_empty()), context_(std::move(given)), name_(web::headline(message, max_name_bytes)) {
  if (is_root_) context_ = {.trace_id = spans::new_trace_id(), .parent_id = spans::new_span_id()};
}

void TurnTrace::add_tool_call(std::string_view name, store::Time started_at, Clock::duration took, bool failed,
                              boost::json::object attributes) {
  spans::Span span;
  span.trace_id = context_.trace_id;
  span.span_id = spans::new_span_id();
  span.parent_id = context_.parent_id;
  span.type = spans::Type::tool_call;
  span.status = failed ? spans::Status::error : spans::Status::success;
  span.name = web::utf8_prefix(name, max_name_bytes);
  span.started_at = started_at;
  span.duration_us = microseconds(took);
  span.attributes = std::move(attributes);
  if (failed) span.error = "The tool reported an error.";
  spans_.push_back(std::move(span));
}

void TurnTrace::end(std::string_view error) {
  if (!is_root_) return;
  spans::Span span;
  span.trace_id = context_.trace_id;
  span.span_id = context_.parent_id;
  span.type = spans::Type::plan;
  span.status = error.empty() ? spans::Status::success : spans::Status::error;
  span.name = name_;
  span.started_at = started_at_;
  span.duration_us = microseconds(Clock::now() - began_);
  span.error = error;
  spans_.push_back(std::move(span));
}

web::Task<> SpanReporter::send(const TurnTrace& trace) const {
  if (trace.spans().empty()) co_return;
  web::FetchRequest request{.url = url_, .method = "POST"};
  request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + token_}};
  request.body = boost::json::serialize(spans::to_otlp(trace.spans(), agent_name_));
  request.timeout = report_time;
  const auto answer = co_await web::fetch(std::move(request));
  if (answer && answer->status == 200) co_return;
  const auto reason = answer ? "status " + std::to_string(answer->status) : answer.error().message;
  web::log::warning("spans_not_reported", {{"reason", reason}});
}

}  // namespace agent_process
