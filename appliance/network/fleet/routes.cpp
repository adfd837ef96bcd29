
#include "appliance/network/fleet/handlers.h"
#include "web/routes/endpoint.h"

namespace fleet {

namespace {

constexpr const char* graph_text =
    "A soul is an agent that should run, the user's registered installation, or an agent elsewhere that has sent spans "
    "to /v1/traces within a day. Below their orchestrator (the box, or agents with `role: orchestrator` in their "
    "config), clones are workers and the others specialists. active: a message, run or model call in the last five "
    "minutes; stale: not answering. Loads are percentages of what an agent's plan gives it, fitness is the share of "
    "the "
    "last 100 turns that succeeded, x and y are between 0 and 100. strength compares the messages of the last 24 hours "
    "with those of the busiest edge. walletAddress is left out where there is none; children, endpoints, cycles, "
    "regime, freeEnergy and url are left out of nodes that are no parents. regime is idle, balanced, uneven or "
    "saturated. Without a reachable soul, `source` is fallback and nodeCount is left out.";
constexpr const char* traces_text =
    "The newest 20 spans: plan is a turn of an agent, tool_call and inference are its calls of tools and models, "
    "monitor is an event of the watchdog. idle: it failed or was stopped (GET /api/traces has the reason). duration is "
    "a dash while it is not timed; tokens is null except for model calls.";
constexpr const char* costs_text =
    "One row per agent and category, the highest first; total_spend is a decimal of US dollars. ai_metric: model "
    "calls. payment: USDC that its wallet has paid, a dollar each. agent_id is empty for those without an agent: calls "
    "with an API key, and the user's own payments. Covers all time, or with `period` a month in UTC (2026-11).";
constexpr const char* bookings_text =
    "Bookings in which one of the user's agents buys or sells: the newest 1,000, newest first.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/mission-control/fleet/graph", session, nullptr,
       web::plain(on(show_own_graph)).returns<GraphAnswer>().describe(graph_text), "Your agents and their connections"},
      {web::GET, "/api/mission-control/fleet/traces", session, nullptr,
       web::plain(on(list_own_traces)).returns<std::vector<TraceView>>().describe(traces_text),
       "What your agents did last"},
      {web::GET, "/api/mission-control/fleet/costs", session, nullptr,
       web::query<PeriodQuery>(on(list_own_costs)).returns<std::vector<CostView>>().describe(costs_text),
       "What your agents cost"},
      {web::GET, "/api/mission-control/fleet/bookings", session, nullptr,
       web::plain(on(list_own_bookings)).returns<std::vector<BookingView>>().describe(bookings_text),
       "Bookings of your agents"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/mission-control/fleet/graph", key, nullptr,
       web::query<UserQuery>(on(show_graph)).returns<GraphAnswer>().describe(graph_text),
       "A user's agents and their connections"},
      {web::GET, "/api/mission-control/fleet/traces", key, nullptr,
       web::query<UserQuery>(on(list_traces)).returns<std::vector<TraceView>>().describe(traces_text),
       "What a user's agents did last"},
      {web::GET, "/api/mission-control/fleet/costs", key, nullptr,
       web::query<UserPeriodQuery>(on(list_costs)).returns<std::vector<CostView>>().describe(costs_text),
       "What a user's agents cost"},
      {web::GET, "/api/mission-control/fleet/bookings", key, nullptr,
       web::query<UserQuery>(on(list_bookings)).returns<std::vector<BookingView>>().describe(bookings_text),
       "Bookings of a user's agents"},
  };
}

}  // namespace fleet
