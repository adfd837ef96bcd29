#include "appliance/usage/routes.h"

#include "web/endpoint.h"

namespace usage {

namespace {

struct SummaryQuery {
  web::Integer<1, std::numeric_limits<std::int64_t>::max()> userId;
};
BOOST_DESCRIBE_STRUCT(SummaryQuery, (), (userId))

struct PeriodSummary {
  std::string period;
  std::int64_t calls = 0, failed = 0, inputTokens = 0, outputTokens = 0, totalTokens = 0;
  std::string cost;
};
BOOST_DESCRIBE_STRUCT(PeriodSummary, (), (period, calls, failed, inputTokens, outputTokens, totalTokens, cost))

struct Summary {
  std::string userId;
  PeriodSummary day, month;
  std::string currency = "USD";
};
BOOST_DESCRIBE_STRUCT(Summary, (), (userId, day, month, currency))

PeriodSummary summary_of(const Ledger& ledger, store::UserId user, const Period& period) {
  const auto totals = ledger.totals(user, period);
  return {.period = period.name(),
          .calls = totals.calls,
          .failed = totals.failed,
          .inputTokens = totals.input_tokens,
          .outputTokens = totals.output_tokens,
          .totalTokens = totals.input_tokens + totals.output_tokens,
          .cost = totals.cost.to_string()};
}

}  // namespace

std::vector<web::Route> routes(Ledger& ledger, const agentbox::Guards& guards) {
  const auto summary = [&ledger](web::Request&, SummaryQuery query) -> web::Task<web::Result<web::Response>> {
    const auto now = store::now();
    Summary answer{.userId = std::to_string(query.userId.value),
                   .day = summary_of(ledger, query.userId, Period::day(now)),
                   .month = summary_of(ledger, query.userId, Period::month(now))};
    co_return web::reply(answer);
  };
  return {
      {web::GET, "/api/usage/summary", guards.internal_key, nullptr,
       web::query<SummaryQuery>(summary).returns<Summary>(),
       "A user's model calls, tokens and cost today and this month (UTC)"},
  };
}

}  // namespace usage
