#include "appliance/network/traces/views.h"

#include <algorithm>
#include <unordered_map>

#include "appliance/billing/usage/money.h"
#include "web/routes/reply.h"

namespace traces {

namespace json = boost::json;

namespace {

constexpr std::size_t deepest = 64;

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::string money(std::int64_t units) { return usage::Money::of_units(units).to_string(); }

}  // namespace

TraceRow row_of(const spans::Trace& trace, const AgentNames& names) {
  return {.id = trace.trace_id,
          .name = trace.name,
          .type = trace.type,
          .status = trace.errors > 0 ? spans::Status::error : spans::Status::success,
          .agentId = given(trace.agent),
          .agentName = given(names.of(trace)),
          .foreign = trace.is_foreign,
          .startedAt = trace.started_at,
          .durationMs = (trace.ended_at - trace.started_at).count(),
          .spans = trace.spans,
          .errors = trace.errors,
          .inputTokens = trace.input_tokens,
          .outputTokens = trace.output_tokens,
          .cost = money(trace.cost)};
}

SpanView view_of(const spans::Span& span, const AgentNames& names) {
  SpanView view{.id = span.span_id,
                .traceId = span.trace_id,
                .parentId = given(span.parent_id),
                .name = span.name,
                .type = span.type,
                .status = span.status,
                .agentId = given(span.agent),
                .agentName = given(names.of(span)),
                .foreign = span.is_foreign,
                .startedAt = span.started_at,
                .durationMs = {},
                .inputTokens = span.input_tokens,
                .outputTokens = span.output_tokens,
                .cost = money(span.cost),
                .model = given(span.model),
                .provider = given(span.provider),
                .error = given(span.error),
                .attributes = span.attributes};
  if (span.duration_us) view.durationMs = static_cast<double>(*span.duration_us) / 1000;
  return view;
}

// Built from the leaves: each span's children are complete before it is handed to its parent.
json::array tree_of(const std::vector<spans::Span>& spans, const AgentNames& names) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t at = 0; at < spans.size(); ++at) place.emplace(spans[at].span_id, at);
  std::vector<std::optional<std::size_t>> parent(spans.size());
  std::vector<std::vector<std::size_t>> children(spans.size());
  std::vector<std::size_t> order, depth(spans.size(), 0);
  for (std::size_t at = 0; at < spans.size(); ++at) {
    const auto found = place.find(spans[at].parent_id);
    if (found == place.end() || found->second == at)
      order.push_back(at);
    else
      children[found->second].push_back(at);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    const auto at = order[next];
    for (const auto child : children[at]) {
      const bool is_deep = depth[at] >= deepest;
      parent[child] = is_deep ? parent[at] : std::optional(at);
      depth[child] = is_deep ? depth[at] : depth[at] + 1;
      order.push_back(child);
    }
  }
  std::vector<json::array> below(spans.size());
  json::array roots;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    std::ranges::reverse(below[*at]);
    auto node = web::to_json(view_of(spans[*at], names));
    node.as_object()["children"] = std::move(below[*at]);
    (parent[*at] ? below[*parent[*at]] : roots).push_back(std::move(node));
  }
  std::ranges::reverse(roots);
  return roots;
}

}  // namespace traces
