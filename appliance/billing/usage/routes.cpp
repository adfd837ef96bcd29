#include "appliance/billing/usage/routes.h"

#include "appliance/billing/usage/report.h"
#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace usage {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct WhoQuery {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(WhoQuery, (), (userId))

// Of routes that tell of one month.
struct MonthOfQuery {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(MonthOfQuery, (), (userId, period))

struct MonthQuery {
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(MonthQuery, (), (period))

constexpr std::int64_t most_calls = 200, usual_calls = 50;

struct CallsOfQuery {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 40>> before;
  std::optional<web::Integer<1, most_calls>> limit;
};
BOOST_DESCRIBE_STRUCT(CallsOfQuery, (), (userId, before, limit))

struct CallsQuery {
  std::optional<web::Text<1, 40>> before;
  std::optional<web::Integer<1, most_calls>> limit;
};
BOOST_DESCRIBE_STRUCT(CallsQuery, (), (before, limit))

struct DailyQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 366>> days;
};
BOOST_DESCRIBE_STRUCT(DailyQuery, (), (userId, days))

struct DaysQuery {
  std::optional<web::Integer<1, 366>> days;
};
BOOST_DESCRIBE_STRUCT(DaysQuery, (), (days))

struct PeriodSummary {
  std::string period;
  std::int64_t calls = 0, failed = 0, inputTokens = 0, outputTokens = 0;
  std::int64_t cachedTokens = 0, reasoningTokens = 0;  // parts of input and of output
  std::int64_t totalTokens = 0;
  std::string cost;
};
BOOST_DESCRIBE_STRUCT(PeriodSummary, (),
                      (period, calls, failed, inputTokens, outputTokens, cachedTokens, reasoningTokens, totalTokens,
                       cost))

struct Summary {
  std::string userId;
  PeriodSummary day, month;
  PeriodSummary ownKeys;  // this month's calls on the user's own provider keys, which are in neither
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(Summary, (), (userId, day, month, ownKeys, currency))

struct AgentUsage {
  std::string userId, agentId;
  PeriodSummary day, month;
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(AgentUsage, (), (userId, agentId, day, month, currency))

struct RowsAnswer {
  std::string userId, period;
  std::vector<Row> rows;
  std::vector<Row> ownKeys;  // of calls on the user's own provider keys, which are not in rows
  std::int64_t count = 0;    // of rows
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(RowsAnswer, (), (userId, period, rows, ownKeys, count, currency))

struct DailyAnswer {
  std::string userId;
  std::vector<DayRow> days;
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(DailyAnswer, (), (userId, days, currency))

struct Performance {
  std::string userId, period;
  std::int64_t calls = 0, failed = 0;
  double successRate = 0;                           // 0 to 1; 0 without calls
  std::optional<double> averageLatencyMs;           // of calls that succeeded
  std::optional<double> averageTimeToFirstTokenMs;  // of streamed ones
};
BOOST_DESCRIBE_STRUCT(Performance, (),
                      (userId, period, calls, failed, successRate, averageLatencyMs, averageTimeToFirstTokenMs))

struct MetricsSummary {
  std::string userId;
  PeriodSummary day, month;
  std::int64_t agents = 0, models = 0, tools = 0;  // that were used this month
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(MetricsSummary, (), (userId, day, month, agents, models, tools, currency))

struct CallsAnswer {
  std::vector<CallRow> calls;
  std::int64_t count = 0;
  std::optional<std::string> next;  // to be given as `before`; null: there are no more
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(CallsAnswer, (), (calls, count, next, currency))

// Calls on one's own provider keys.
struct OwnKeysCost {
  std::string total;
  std::vector<Row> byModel;
};
BOOST_DESCRIBE_STRUCT(OwnKeysCost, (), (total, byModel))

struct CostAnswer {
  std::string period, total;
  std::vector<Row> byAgent, byModel;  // agents with what they used on one's own provider keys
  std::vector<DayRow> byDay;
  OwnKeysCost ownKeys;  // is in neither total nor byModel nor byDay
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(CostAnswer, (), (period, total, byAgent, byModel, byDay, ownKeys, currency))

PeriodSummary summary_of(const Totals& totals, const Period& period) {
  return {.period = period.name(),
          .calls = totals.calls,
          .failed = totals.failed,
          .inputTokens = totals.input_tokens,
          .outputTokens = totals.output_tokens,
          .cachedTokens = totals.cached_tokens,
          .reasoningTokens = totals.reasoning_tokens,
          .totalTokens = totals.total_tokens(),
          .cost = totals.cost.to_string()};
}

PeriodSummary summary_of(const Ledger& ledger, store::UserId user, const Period& period) {
  return summary_of(ledger.totals(user, period), period);
}

// A user's id, or "demo": whoever uses the public demo.
std::optional<store::UserId> user_named(std::string_view text) {
  return text == demo_name ? std::optional(demo_user) : accounts::parse_user_id(text);
}

std::string shown(store::UserId user) { return user == demo_user ? std::string(demo_name) : std::to_string(user); }

// The month that is asked for, this one where none is.
web::Result<Period> month_of(const std::optional<web::Text<1, 20>>& period) {
  if (!period) return Period::month(store::now());
  const auto named = Period::month_named(*period);
  if (!named) return web::invalid("period must be a calendar month, such as " + Period::month(store::now()).name());
  return *named;
}

web::Error not_a_user() { return web::invalid("userId must be a user's id, or demo"); }

Answer summary(const Ledger& ledger, std::string_view user_id) {
  const auto user = user_named(user_id);
  if (!user) co_return not_a_user();
  const auto day = Period::day(store::now()), month = Period::month(store::now());
  const Summary answer{.userId = shown(*user),
                       .day = summary_of(ledger, *user, day),
                       .month = summary_of(ledger, *user, month),
                       .ownKeys = summary_of(ledger.own_key_totals(*user, month), month)};
  co_return web::reply(answer);
}

Answer by_agent(const Ledger& ledger, std::string_view user_id, std::string agent) {
  const auto user = user_named(user_id);
  if (!user) co_return not_a_user();
  const auto day = Period::day(store::now()), month = Period::month(store::now());
  const AgentUsage answer{.userId = shown(*user),
                          .agentId = agent,
                          .day = summary_of(ledger.agent_totals(*user, agent, day), day),
                          .month = summary_of(ledger.agent_totals(*user, agent, month), month)};
  co_return web::reply(answer);
}

Answer by_kind(const Ledger& ledger, MonthOfQuery query, std::string_view kind) {
  const auto user = user_named(query.userId);
  if (!user) co_return not_a_user();
  const auto month = month_of(query.period);
  if (!month) co_return month.error();
  RowsAnswer answer{.userId = shown(*user),
                    .period = month->name(),
                    .rows = rows(ledger, *user, kind, *month),
                    .ownKeys = rows(ledger, *user, "own-" + std::string(kind), *month)};
  answer.count = static_cast<std::int64_t>(answer.rows.size());
  co_return web::reply(answer);
}

Answer by_day(const Ledger& ledger, std::string_view user_id, std::optional<std::int64_t> days) {
  const auto user = user_named(user_id);
  if (!user) co_return not_a_user();
  const DailyAnswer answer{.userId = shown(*user), .days = daily(ledger, *user, static_cast<int>(days.value_or(30)))};
  co_return web::reply(answer);
}

Answer calls_of(const Ledger& ledger, store::UserId user, CallsQuery query) {
  const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : usual_calls);
  auto found = ledger.newest(user, limit + 1, query.before.value_or(""));
  CallsAnswer answer;
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().id;
  }
  for (const auto& call : found) answer.calls.push_back(call_row(call));
  answer.count = static_cast<std::int64_t>(found.size());
  co_return web::reply(answer);
}

Answer performance(const Ledger& ledger, store::UserId user, MonthQuery query) {
  const auto month = month_of(query.period);
  if (!month) co_return month.error();
  const auto totals = ledger.totals(user, *month);
  const auto succeeded = totals.calls - totals.failed;
  Performance answer{.userId = shown(user), .period = month->name(), .calls = totals.calls, .failed = totals.failed};
  const auto ratio = [](std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (totals.calls > 0) answer.successRate = ratio(succeeded, totals.calls);
  if (succeeded > 0) answer.averageLatencyMs = ratio(totals.latency_ms, succeeded);
  if (totals.streamed > 0) answer.averageTimeToFirstTokenMs = ratio(totals.first_token_ms, totals.streamed);
  co_return web::reply(answer);
}

Answer metrics_summary(const Ledger& ledger, store::UserId user) {
  const auto day = Period::day(store::now()), month = Period::month(store::now());
  const auto count = [&](const std::string& kind) {
    auto used = ledger.totals_by(user, kind, month);
    used.merge(ledger.totals_by(user, "own-" + kind, month));
    return static_cast<std::int64_t>(used.size());
  };
  const MetricsSummary answer{.userId = shown(user),
                              .day = summary_of(ledger, user, day),
                              .month = summary_of(ledger, user, month),
                              .agents = count("agent"),
                              .models = count("model"),
                              .tools = count("tool")};
  co_return web::reply(answer);
}

Answer historical(const Ledger& ledger, store::UserId user, std::optional<std::int64_t> days) {
  const DailyAnswer answer{.userId = shown(user), .days = daily(ledger, user, static_cast<int>(days.value_or(30)))};
  co_return web::reply(answer);
}

Answer cost(const Ledger& ledger, store::UserId user) {
  const auto month = Period::month(store::now());
  const CostAnswer answer{.period = month.name(),
                          .total = ledger.totals(user, month).cost.to_string(),
                          .byAgent = rows(ledger, user, "agent", month),
                          .byModel = rows(ledger, user, "model", month),
                          .byDay = daily(ledger, user, 30),
                          .ownKeys = {.total = ledger.own_key_totals(user, month).cost.to_string(),
                                      .byModel = rows(ledger, user, "own-model", month)}};
  co_return web::reply(answer);
}

constexpr const char* calls_text =
    "`tried` tells which models were asked before for the same request, and what came of it. Where there are more, "
    "`next` is the `before` of the next page. `cost` is null where the catalogue has no price.";

std::optional<std::int64_t> given(const std::optional<web::Integer<1, 366>>& days) {
  return days ? std::optional(days->value) : std::nullopt;
}

}  // namespace

std::vector<web::Route> routes(Ledger& ledger, std::function<bool(store::UserId)> is_user,
                               const agentbox::Guards& guards) {
  const auto& key = guards.internal_key;
  const auto kind = [&ledger](const char* name) {
    return web::query<MonthOfQuery>([&ledger, name](web::Request&, MonthOfQuery query) -> Answer {
             co_return co_await by_kind(ledger, std::move(query), name);
           })
        .returns<RowsAnswer>();
  };
  auto one = [&ledger](web::Request&, WhoQuery query) -> Answer { co_return co_await summary(ledger, query.userId); };
  auto agent = [&ledger](web::Request& request, WhoQuery query) -> Answer {
    co_return co_await by_agent(ledger, query.userId, request.param("agentId"));
  };
  auto days = [&ledger](web::Request&, DailyQuery query) -> Answer {
    co_return co_await by_day(ledger, query.userId, given(query.days));
  };
  auto newest = [&ledger](web::Request&, CallsOfQuery query) -> Answer {
    const auto user = user_named(query.userId);
    if (!user) co_return not_a_user();
    CallsQuery wanted{.before = std::move(query.before), .limit = query.limit};
    co_return co_await calls_of(ledger, *user, std::move(wanted));
  };
  // The user of the path, if there is one.
  auto known = [is_user](const web::Request& request) {
    const auto user = user_named(request.param("userId"));
    return user && (*user == demo_user || is_user(*user)) ? user : std::nullopt;
  };
  auto history = [&ledger, known](web::Request& request, DaysQuery query) -> Answer {
    const auto user = known(request);
    if (!user) co_return web::not_found("No such user");
    co_return co_await historical(ledger, *user, given(query.days));
  };
  auto speed = [&ledger, known](web::Request& request, MonthQuery query) -> Answer {
    const auto user = known(request);
    if (!user) co_return web::not_found("No such user");
    co_return co_await performance(ledger, *user, std::move(query));
  };
  auto sums = [&ledger, known](web::Request& request) -> Answer {
    const auto user = known(request);
    if (!user) co_return web::not_found("No such user");
    co_return co_await metrics_summary(ledger, *user);
  };
  constexpr const char* month_text =
      "The calendar month (UTC) that `period` names (2026-11), this one without; the costliest first; costs in US "
      "dollars. Calls on users' own provider keys stand apart (`ownKeys`).";
  constexpr const char* now_text = "Of today and this calendar month (UTC), always: it takes no period.";
  constexpr const char* days_text = "Up to today (UTC), `days` of them: it takes no period.";
  return {
      {web::GET, "/api/usage/summary", key, nullptr,
       web::query<WhoQuery>(one).returns<Summary>().describe(
           "userId may be demo: the public demo's visitors. Calls on users' own provider keys stand apart. " +
           std::string(now_text)),
       "A user's model calls, tokens and cost today and this month (UTC)"},
      {web::GET, "/api/usage/by-agent/:agentId", key, nullptr,
       web::query<WhoQuery>(agent).returns<AgentUsage>().describe(now_text),
       "What one agent used today and this month"},
      {web::GET, "/api/usage/by-model", key, nullptr, kind("model").describe(month_text), "What was used by model"},
      {web::GET, "/api/usage/tools", key, nullptr,
       kind("tool").describe("The calls in whose answers the model called the tool. " + std::string(month_text)),
       "What was used by tool"},
      {web::GET, "/api/usage/daily", key, nullptr,
       web::query<DailyQuery>(days).returns<DailyAnswer>().describe(days_text),
       "What was used day by day, the last 30 unless `days` says otherwise"},
      {web::GET, "/api/usage/calls", key, nullptr,
       web::query<CallsOfQuery>(newest).returns<CallsAnswer>().describe(calls_text),
       "A user's model calls one by one, the newest first"},
      {web::GET, "/api/metrics/:userId/historical", key, nullptr,
       web::query<DaysQuery>(history).returns<DailyAnswer>().describe(days_text), "A user's model calls day by day"},
      {web::GET, "/api/metrics/:userId/performance", key, nullptr,
       web::query<MonthQuery>(speed).returns<Performance>().describe(
           "Of the calendar month (UTC) that `period` names (2026-11), this one without."),
       "How a user's model calls went in a month: success, latency, time to first token"},
      {web::GET, "/api/metrics/:userId/summary", key, nullptr,
       web::plain(sums).returns<MetricsSummary>().describe(now_text),
       "A user's model calls today and this month, and how many agents, models and tools took part"},
  };
}

std::vector<web::Route> web_routes(Ledger& ledger, const agentbox::Guards& guards) {
  auto mine = [&ledger](web::Request& request) { return cost(ledger, request.caller.user_id); };
  auto newest = [&ledger](web::Request& request, CallsQuery query) {
    return calls_of(ledger, request.caller.user_id, std::move(query));
  };
  return {
      {web::GET, "/api/dashboard/cost", guards.session, nullptr,
       web::plain(mine).returns<CostAnswer>().describe(
           "Of this calendar month (UTC), the days apart: it takes no period. Calls on one's own provider keys stand "
           "apart (`ownKeys`), but for those of agents, which are in their rows."),
       "What one's model calls cost this month, by agent, by model, and by day of the last 30"},
      {web::GET, "/api/dashboard/calls", guards.session, nullptr,
       web::query<CallsQuery>(newest).returns<CallsAnswer>().describe(calls_text),
       "One's model calls one by one, the newest first"},
  };
}

}  // namespace usage
