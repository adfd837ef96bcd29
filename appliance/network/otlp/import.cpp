#include "appliance/network/otlp/import.h"

#include <algorithm>
#include <boost/describe/enum_from_string.hpp>
#include <boost/json.hpp>
#include <iterator>

#include "appliance/billing/spans/trace_context.h"
#include "web/utf8.h"

namespace otlp {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto oldest = std::chrono::days(7);
constexpr auto furthest_ahead = 10min;
constexpr std::size_t max_name_bytes = 200, max_agent_bytes = 100, max_key_bytes = 128, max_text_bytes = 1'024,
                      max_attribute_bytes = 8 * 1'024;

// Valid UTF-8 of at most that many bytes.
std::string valid_prefix(std::string_view text, std::size_t bytes) {
  text = text.substr(0, bytes + 4);
  std::string valid;
  while (!text.empty()) {
    const auto point = web::decode_utf8(text);
    const auto length = std::max<std::size_t>(1, point.length);
    if (valid.size() + length > bytes) break;
    if (point.length > 0) valid.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return valid;
}

std::string first_text(const json::object& attributes, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto* value = attributes.if_contains(name); value && value->is_string() && !value->get_string().empty())
      return valid_prefix(value->get_string(), max_name_bytes);
  return {};
}

std::optional<std::int64_t> tokens_of(const json::object& attributes, std::initializer_list<std::string_view> names) {
  constexpr std::int64_t most = 1'000'000'000'000;
  for (const auto name : names)
    if (const auto* value = attributes.if_contains(name); value && value->is_int64())
      return std::clamp<std::int64_t>(value->get_int64(), 0, most);
  return std::nullopt;
}

// By the conventions for generative AI; what follows none of them is an observation.
spans::Type type_of(const json::object& attributes) {
  auto type = spans::Type::monitor;
  if (boost::describe::enum_from_string(first_text(attributes, {"agentbox.span.type"}).c_str(), type)) return type;
  const auto operation = first_text(attributes, {"gen_ai.operation.name"});
  if (operation == "invoke_agent" || operation == "create_agent" || operation == "invoke_workflow")
    return spans::Type::plan;
  if (operation == "execute_tool" || attributes.contains("gen_ai.tool.name")) return spans::Type::tool_call;
  const bool is_inference = !operation.empty() || attributes.contains("gen_ai.request.model");
  return is_inference ? spans::Type::inference : spans::Type::monitor;
}

json::value cut_value(const json::value& value) {
  if (const auto* text = value.if_string()) return json::string(valid_prefix(*text, max_text_bytes));
  if (!value.is_structured()) return value;
  const auto text = json::serialize(value);
  return text.size() <= max_text_bytes && web::is_utf8(text) ? value : json::string(valid_prefix(text, max_text_bytes));
}

json::object cut_attributes(const json::object& attributes) {
  json::object kept;
  std::size_t bytes = 0;
  for (const auto& [name, value] : attributes) {
    const auto key = valid_prefix(name, max_key_bytes);
    auto content = cut_value(value);
    bytes += key.size() + (content.is_string() ? content.get_string().size() : sizeof(double));
    if (bytes > max_attribute_bytes) break;
    if (!key.empty()) kept[key] = std::move(content);
  }
  return kept;
}

store::Time time_of(std::uint64_t nanoseconds) {
  constexpr std::uint64_t per_millisecond = 1'000'000;
  return store::Time(std::chrono::milliseconds(nanoseconds / per_millisecond));
}

std::string problem_of(const WireSpan& wire, store::Time now) {
  if (!spans::is_trace_id(wire.trace_id)) return "traceId must be 16 bytes that are not all zero";
  if (!spans::is_span_id(wire.span_id)) return "spanId must be 8 bytes that are not all zero";
  if (!wire.parent_id.empty() && !spans::is_span_id(wire.parent_id)) return "parentSpanId must be 8 bytes";
  const auto start = time_of(wire.start);
  if (start < now - oldest || start > now + furthest_ahead) return "startTimeUnixNano must be within the last week";
  if (wire.end < wire.start || wire.end - wire.start > std::uint64_t(std::chrono::nanoseconds(oldest).count()))
    return "endTimeUnixNano must be within a week after startTimeUnixNano";
  return {};
}

std::string foreign_name(const WireSpan& wire) {
  auto name = first_text(wire.attributes, {"gen_ai.agent.name", "gen_ai.agent.id"});
  if (name.empty()) name = wire.service;
  name = valid_prefix(name, max_agent_bytes);
  return name.empty() ? "unknown" : name;
}

spans::Span to_span(const WireSpan& wire, const Sender& sender) {
  spans::Span span;
  span.owner = sender.user;
  span.trace_id = wire.trace_id;
  span.span_id = wire.span_id;
  span.parent_id = wire.parent_id;
  span.type = type_of(wire.attributes);
  span.status = wire.is_error ? spans::Status::error : spans::Status::success;
  span.name = valid_prefix(wire.name, max_name_bytes);
  if (span.type == spans::Type::tool_call)
    if (auto tool = first_text(wire.attributes, {"gen_ai.tool.name"}); !tool.empty()) span.name = std::move(tool);
  span.is_foreign = sender.agent.empty();
  span.agent = span.is_foreign ? foreign_name(wire) : sender.agent;
  span.started_at = time_of(wire.start);
  span.duration_us = static_cast<std::int64_t>((wire.end - wire.start) / 1'000);
  span.input_tokens = tokens_of(wire.attributes, {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"});
  span.output_tokens = tokens_of(wire.attributes, {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"});
  span.model = first_text(wire.attributes, {"gen_ai.response.model", "gen_ai.request.model"});
  span.provider = first_text(wire.attributes, {"gen_ai.provider.name", "gen_ai.system"});
  if (wire.is_error) span.error = valid_prefix(wire.error, max_text_bytes);
  span.attributes = cut_attributes(wire.attributes);
  return span;
}

}  // namespace

Imported import(std::vector<WireSpan> received, const Sender& sender, store::Time now) {
  Imported imported;
  for (const auto& wire : received) {
    auto problem = problem_of(wire, now);
    if (problem.empty()) {
      imported.spans.push_back(to_span(wire, sender));
    } else {
      ++imported.rejected;
      if (imported.reason.empty()) imported.reason = std::move(problem);
    }
  }
  return imported;
}

}  // namespace otlp
