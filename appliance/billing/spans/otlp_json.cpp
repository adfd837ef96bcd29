#include "appliance/billing/spans/otlp_json.h"

#include <boost/describe/enum_to_string.hpp>
#include <boost/json.hpp>

#include "appliance/billing/usage/money.h"
#include "appliance/foundation/version.h"

namespace spans {

namespace json = boost::json;

namespace {

// Span.SpanKind and Status.StatusCode of the protocol.
constexpr int kind_internal = 1, kind_client = 3, code_unset = 0, code_ok = 1, code_error = 2;

std::string_view operation_of(Type type) {
  switch (type) {
    case Type::plan:
      return "invoke_agent";
    case Type::tool_call:
      return "execute_tool";
    case Type::inference:
      return "chat";
    case Type::monitor:
      break;
  }
  return {};
}

int code_of(Status status) {
  switch (status) {
    case Status::success:
      return code_ok;
    case Status::error:
      return code_error;
    default:
      return code_unset;
  }
}

// 64-bit numbers are strings in the protocol's JSON.
json::object number(std::int64_t value) { return {{"intValue", std::to_string(value)}}; }
json::object text(std::string_view value) { return {{"stringValue", value}}; }

class Attributes {
 public:
  void add(std::string_view key, std::string_view value) {
    if (!value.empty()) put(key, text(value));
  }
  void add(std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) put(key, number(*value));
  }
  json::array take() && { return std::move(list_); }

 private:
  void put(std::string_view key, json::object value) {
    list_.push_back(json::object{{"key", key}, {"value", std::move(value)}});
  }
  json::array list_;
};

json::array attributes_of(const Span& span) {
  Attributes attributes;
  attributes.add("gen_ai.operation.name", operation_of(span.type));
  attributes.add("gen_ai.agent.id", span.agent);
  if (span.type == Type::tool_call) attributes.add("gen_ai.tool.name", span.name);
  attributes.add("gen_ai.request.model", span.model);
  attributes.add("gen_ai.provider.name", span.provider);
  attributes.add("gen_ai.usage.input_tokens", span.input_tokens);
  attributes.add("gen_ai.usage.output_tokens", span.output_tokens);
  attributes.add("agentbox.span.type", boost::describe::enum_to_string(span.type, ""));
  if (span.cost != 0) attributes.add("agentbox.cost.usd", usage::Money::of_units(span.cost).to_string());
  return std::move(attributes).take();
}

json::object to_wire(const Span& span) {
  using std::chrono::nanoseconds;
  const nanoseconds start = span.started_at.time_since_epoch();
  const nanoseconds end = start + std::chrono::microseconds(span.duration_us.value_or(0));
  json::object wire{{"traceId", span.trace_id},
                    {"spanId", span.span_id},
                    {"name", span.name},
                    {"kind", span.type == Type::inference ? kind_client : kind_internal},
                    {"startTimeUnixNano", std::to_string(start.count())},
                    {"endTimeUnixNano", std::to_string(end.count())},
                    {"attributes", attributes_of(span)},
                    {"status", {{"code", code_of(span.status)}}}};
  if (!span.parent_id.empty()) wire["parentSpanId"] = span.parent_id;
  if (!span.error.empty()) wire["status"].as_object()["message"] = span.error;
  return wire;
}

}  // namespace

json::object to_otlp(const std::vector<Span>& list, std::string_view service) {
  json::array wire;
  wire.reserve(list.size());
  for (const auto& span : list) wire.push_back(to_wire(span));
  Attributes resource;
  resource.add("service.name", service);
  resource.add("service.version", agentbox::version);
  json::object scope{{"scope", {{"name", "agentbox"}}}, {"spans", std::move(wire)}};
  json::object of_resource{{"resource", {{"attributes", std::move(resource).take()}}},
                           {"scopeSpans", json::array{std::move(scope)}}};
  return {{"resourceSpans", json::array{std::move(of_resource)}}};
}

}  // namespace spans
