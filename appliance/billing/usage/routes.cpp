
#include "appliance/access/key_guards.h"
#include "appliance/billing/usage/handlers.h"
#include "web/routes/endpoint.h"

namespace usage {

namespace {

constexpr const char* calls_text =
    "`tried` lists the failed attempts before this one for the same request. If there are more calls, `next` is the "
    "`before` of the next page. `cost` is null if the catalogue has no price.";
constexpr const char* month_text =
    "`period` is a calendar month in UTC (2026-11), by default the current one. Rows are ordered by cost, highest "
    "first; costs are in US dollars. Calls with users' own provider keys are listed separately (`ownKeys`).";
constexpr const char* now_text = "Always covers today and the current calendar month (UTC).";
constexpr const char* days_text = "The last `days` days including today (UTC), 30 by default.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& owner = agentbox::session_or_key(guards, key_scopes::Scope::usage, agentbox::RowScope::account);
  return {
      {web::GET, "/api/dashboard/cost", owner, nullptr,
       web::plain(on(show_own_cost))
           .returns<CostAnswer>()
           .describe("Covers the current calendar month (UTC); byDay covers the last 30 days. Calls with your own "
                     "provider keys are listed separately (`ownKeys`), except in the rows of agents, which include "
                     "them."),
       "The cost of your model calls this month by agent and model, and by day"},
      {web::GET, "/api/dashboard/calls", owner, nullptr,
       web::query<CallsQuery>(on(list_own_calls)).returns<CallsAnswer>().describe(calls_text),
       "List your model calls, newest first"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.users;
  return {
      {web::GET, "/api/usage/summary", key, nullptr,
       web::query<SummaryQuery>(on(show_summary))
           .returns<Summary>()
           .describe(
               "userId may be demo for the visitors of the public demo. Without it, the sum of all users, visitors "
               "and the operator. Calls with users' own provider keys are "
               "counted separately. " +
               std::string(now_text)),
       "The model calls, tokens and cost of a user or of all, today and this month"},
      {web::GET, "/api/usage/by-agent/:agentId", key, nullptr,
       web::query<UserQuery>(on(show_agent)).returns<AgentUsage>().describe(now_text),
       "The usage of one agent, today and this month"},
      {web::GET, "/api/usage/by-model", key, nullptr,
       web::query<UserMonthQuery>(on(list_by_model)).returns<RowsAnswer>().describe(month_text), "Usage by model"},
      {web::GET, "/api/usage/tools", key, nullptr,
       web::query<UserMonthQuery>(on(list_by_tool))
           .returns<RowsAnswer>()
           .describe("Counts the calls whose answers call the tool. " + std::string(month_text)),
       "Usage by tool"},
      {web::GET, "/api/usage/daily", key, nullptr,
       web::query<UserDaysQuery>(on(list_days)).returns<DailyAnswer>().describe(days_text), "Usage by day"},
      {web::GET, "/api/usage/calls", key, nullptr,
       web::query<UserCallsQuery>(on(list_calls)).returns<CallsAnswer>().describe(calls_text),
       "List a user's model calls, newest first"},
      {web::GET, "/api/metrics/:userId/historical", key, nullptr,
       web::query<DaysQuery>(on(show_history)).returns<DailyAnswer>().describe(days_text),
       "A user's model calls by day"},
      {web::GET, "/api/metrics/:userId/performance", key, nullptr,
       web::query<MonthQuery>(on(show_performance))
           .returns<Performance>()
           .describe("`period` is a calendar month in UTC (2026-11), by default the current one."),
       "Success rate, latency and time to first token of a user's model calls in a month"},
      {web::GET, "/api/metrics/:userId/summary", key, nullptr,
       web::plain(on(show_metrics)).returns<MetricsSummary>().describe(now_text),
       "A user's model calls today and this month, and the number of agents, models and tools used"},
  };
}

}  // namespace usage
