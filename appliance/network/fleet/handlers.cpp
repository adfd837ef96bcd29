#include "appliance/network/fleet/handlers.h"

#include <algorithm>

#include "appliance/network/fleet/ties.h"
#include "web/routes/reply.h"

namespace fleet {

namespace json = boost::json;

namespace {

constexpr std::size_t traces_shown = 20, bookings_shown = 1'000;
constexpr std::string_view not_timed = "—";

NodeView view_of(const Node& node) {
  NodeView view{.id = node.id,
                .name = node.name,
                .role = node.role,
                .status = node.status,
                .x = node.x,
                .y = node.y,
                .load = node.load.cpu,
                .memory = node.load.memory,
                .fitness = node.fitness};
  if (!node.wallet.empty()) view.walletAddress = node.wallet;
  if (const auto& parent = node.parent) {
    view.children = parent->children;
    view.endpoints = parent->endpoints;
    view.cycles = parent->cycles;
    view.regime = parent->spread.regime;
    view.freeEnergy = parent->spread.free_energy;
    if (!parent->url.empty()) view.url = parent->url;
  }
  return view;
}

// The contract leaves out what a node does not have.
json::value without_nulls(json::value value) {
  auto& object = value.as_object();
  std::vector<std::string> empty;
  for (const auto& [name, member] : object)
    if (member.is_null()) empty.emplace_back(name);
  for (const auto& name : empty) object.erase(name);
  return value;
}

json::object answer_of(const Graph& graph) {
  json::array nodes, edges;
  nodes.reserve(graph.nodes.size());
  edges.reserve(graph.edges.size());
  for (const auto& node : graph.nodes) nodes.push_back(without_nulls(web::to_json(view_of(node))));
  for (const auto& [id, from, to, strength] : graph.edges)
    edges.push_back(json::object{{"id", id}, {"from", from}, {"to", to}, {"strength", strength}});
  json::object answer{{"nodes", std::move(nodes)},
                      {"edges", std::move(edges)},
                      {"timestamp", web::iso8601(store::now())},
                      {"source", graph.is_fallback ? "fallback" : "soul"}};
  if (!graph.is_fallback) answer["nodeCount"] = graph.nodes.size();
  return answer;
}

TraceStatus status_of(spans::Status status) {
  switch (status) {
    case spans::Status::success:
      return TraceStatus::success;
    case spans::Status::running:
      return TraceStatus::running;
    default:
      return TraceStatus::idle;
  }
}

TraceView trace_view(const spans::Span& span, const traces::AgentNames& names) {
  TraceView view{.id = span.span_id,
                 .type = span.type,
                 .label = span.name,
                 .agent = names.of(span),
                 .status = status_of(span.status),
                 .duration = std::string(not_timed),
                 .startedAt = span.started_at};
  if (span.duration_us) view.duration = std::to_string((*span.duration_us + 500) / 1000) + "ms";
  if (span.type == spans::Type::inference && (span.input_tokens || span.output_tokens))
    view.tokens = span.input_tokens.value_or(0) + span.output_tokens.value_or(0);
  return view;
}

web::Answer graph_of(const Services& services, store::UserId user) {
  auto souls = co_await services.souls.of(user);
  co_return web::json(answer_of(draw(std::move(souls), ties_of(services.system.tenant(user)), services.web_url)));
}

web::Answer traces_of(const Services& services, store::UserId user) {
  std::vector<TraceView> views;
  const auto souls = co_await services.souls.of(user);
  if (std::ranges::none_of(souls, &Soul::is_reachable)) co_return web::reply(views);
  const auto newest = co_await services.traces.newest(user, traces_shown);
  const auto names = services.traces.names(user);
  for (const auto& span : newest) views.push_back(trace_view(span, names));
  co_return web::reply(views);
}

template <class Period>
web::Answer costs_of(const Services& services, store::UserId user, Period period) {
  std::optional<usage::Period> month;
  if (period && !(month = usage::Period::month_named(*period)))
    co_return web::invalid("period must be a month such as 2026-11");
  std::vector<CostView> views;
  for (const auto& cost : services.costs.of(user, month))
    views.push_back(
        {.agent_id = cost.agent, .total_spend = cost.spent.to_string(), .category = std::string(cost.category)});
  co_return web::reply(views);
}

web::Answer bookings_of(const Services& services, store::UserId user) {
  std::vector<BookingView> views;
  for (const auto& booking : services.negotiation.of_user(user, bookings_shown))
    views.push_back({.id = booking.id,
                     .event_id = booking.event,
                     .event_name = booking.event_name,
                     .status = booking.state,
                     .created_at = booking.created_at});
  co_return web::reply(views);
}

}  // namespace

web::Answer show_graph(const Services& services, const web::Request&, UserQuery query) {
  return graph_of(services, query.userId);
}

web::Answer list_traces(const Services& services, const web::Request&, UserQuery query) {
  return traces_of(services, query.userId);
}

web::Answer list_costs(const Services& services, const web::Request&, UserPeriodQuery query) {
  return costs_of(services, query.userId, std::move(query.period));
}

web::Answer list_bookings(const Services& services, const web::Request&, UserQuery query) {
  return bookings_of(services, query.userId);
}

web::Answer show_own_graph(const Services& services, const web::Request& request) {
  return graph_of(services, request.caller.user_id);
}

web::Answer list_own_traces(const Services& services, const web::Request& request) {
  return traces_of(services, request.caller.user_id);
}

web::Answer list_own_costs(const Services& services, const web::Request& request, PeriodQuery query) {
  return costs_of(services, request.caller.user_id, std::move(query.period));
}

web::Answer list_own_bookings(const Services& services, const web::Request& request) {
  return bookings_of(services, request.caller.user_id);
}

}  // namespace fleet
