#pragma once

#include <boost/asio/thread_pool.hpp>
#include <boost/describe.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/report.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace usage {

// What the rows depend on; all of it must outlive them.
struct Services {
  const Ledger& ledger;
  std::function<bool(store::UserId)> is_user;
  std::function<std::vector<store::UserId>()> users;  // reads a whole table and blocks
  boost::asio::thread_pool& blocking;
};

struct UserQuery {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(UserQuery, (), (userId))

struct SummaryQuery {
  std::optional<web::Text<1, 20>> userId;
};
BOOST_DESCRIBE_STRUCT(SummaryQuery, (), (userId))

struct UserMonthQuery {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(UserMonthQuery, (), (userId, period))

struct MonthQuery {
  std::optional<web::Text<1, 20>> period;
};
BOOST_DESCRIBE_STRUCT(MonthQuery, (), (period))

inline constexpr std::int64_t max_calls = 200;

struct UserCallsQuery {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 40>> before;
  std::optional<web::Integer<1, max_calls>> limit;
};
BOOST_DESCRIBE_STRUCT(UserCallsQuery, (), (userId, before, limit))

struct CallsQuery {
  std::optional<web::Text<1, 40>> before;
  std::optional<web::Integer<1, max_calls>> limit;
};
BOOST_DESCRIBE_STRUCT(CallsQuery, (), (before, limit))

struct UserDaysQuery {
  web::Text<1, 20> userId;
  std::optional<web::Integer<1, 366>> days;
};
BOOST_DESCRIBE_STRUCT(UserDaysQuery, (), (userId, days))

struct DaysQuery {
  std::optional<web::Integer<1, 366>> days;
};
BOOST_DESCRIBE_STRUCT(DaysQuery, (), (days))

struct PeriodSummary : TotalsView {
  std::string period;
};
BOOST_DESCRIBE_STRUCT(PeriodSummary, (TotalsView), (period))

struct Summary {
  std::optional<std::string> userId;  // null: of everybody
  PeriodSummary day, month;
  PeriodSummary ownKeys;  // this month's calls with the user's own provider keys, included in neither day nor month
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
  std::vector<Row> ownKeys;  // calls with the user's own provider keys, not included in rows
  std::int64_t count = 0;    // the number of rows
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
  std::optional<double> averageLatencyMs;           // of successful calls
  std::optional<double> averageTimeToFirstTokenMs;  // of streamed calls
};
BOOST_DESCRIBE_STRUCT(Performance, (),
                      (userId, period, calls, failed, successRate, averageLatencyMs, averageTimeToFirstTokenMs))

struct MetricsSummary {
  std::string userId;
  PeriodSummary day, month;
  std::int64_t agents = 0, models = 0, tools = 0;  // used this month
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(MetricsSummary, (), (userId, day, month, agents, models, tools, currency))

struct CallsAnswer {
  std::vector<CallRow> calls;
  std::int64_t count = 0;
  std::optional<std::string> next;  // `before` of the next page; null: there is none
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(CallsAnswer, (), (calls, count, next, currency))

// Calls with the user's own provider keys.
struct OwnKeysCost {
  std::string total;
  std::vector<Row> byModel;
};
BOOST_DESCRIBE_STRUCT(OwnKeysCost, (), (total, byModel))

struct CostAnswer {
  std::string period, total;
  std::vector<Row> byAgent, byModel;  // byAgent includes calls with the user's own provider keys
  std::vector<DayRow> byDay;
  OwnKeysCost ownKeys;  // not included in total, byModel and byDay
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(CostAnswer, (), (period, total, byAgent, byModel, byDay, ownKeys, currency))

// /api/usage. "demo" as userId means the visitors of the public demo.
web::Answer show_summary(const Services&, const web::Request&, SummaryQuery);
web::Answer show_agent(const Services&, const web::Request&, UserQuery);
web::Answer list_by_model(const Services&, const web::Request&, UserMonthQuery);
web::Answer list_by_tool(const Services&, const web::Request&, UserMonthQuery);
web::Answer list_days(const Services&, const web::Request&, UserDaysQuery);
web::Answer list_calls(const Services&, const web::Request&, UserCallsQuery);

// /api/metrics/:userId.
web::Answer show_history(const Services&, const web::Request&, DaysQuery);
web::Answer show_performance(const Services&, const web::Request&, MonthQuery);
web::Answer show_metrics(const Services&, const web::Request&);

// /api/dashboard.
web::Answer show_own_cost(const Services&, const web::Request&);
web::Answer list_own_calls(const Services&, const web::Request&, CallsQuery);

// /api/dashboard/cost and /api/dashboard/calls: the caller's usage.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/usage/* and /api/metrics/:userId/*: the usage of any user. The latter return 404 for unknown users.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace usage
