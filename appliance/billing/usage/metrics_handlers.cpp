// /api/metrics/:userId: how a user's model calls went.
#include "appliance/billing/usage/handlers.h"
#include "appliance/billing/usage/views.h"
#include "web/routes/reply.h"

namespace usage {

namespace {

// The user in the path.
web::Result<store::UserId> user_in_path(const Services& services, const web::Request& request) {
  const auto user = find_user(services, request.param("userId"));
  if (!user) return web::not_found("No such user");
  return *user;
}

double ratio(std::int64_t part, std::int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// With the user's own provider keys or without.
std::int64_t count_used(const Ledger& ledger, store::UserId user, std::string_view kind, const Period& month) {
  auto used = ledger.totals_by(user, kind, month);
  used.merge(ledger.totals_by(user, slice::with_own_keys(kind), month));
  return static_cast<std::int64_t>(used.size());
}

}  // namespace

web::Answer show_history(const Services& services, const web::Request& request, DaysQuery query) {
  const auto user = user_in_path(services, request);
  if (!user) co_return user.error();
  co_return web::reply(daily_answer(services.ledger, *user, query.days));
}

web::Answer show_performance(const Services& services, const web::Request& request, MonthQuery query) {
  const auto user = user_in_path(services, request);
  if (!user) co_return user.error();
  const auto month = parse_month(query.period);
  if (!month) co_return month.error();
  const auto totals = services.ledger.totals(*user, *month);
  const auto succeeded = totals.calls - totals.failed;
  Performance answer{
      .userId = user_text(*user), .period = month->name(), .calls = totals.calls, .failed = totals.failed};
  if (totals.calls > 0) answer.successRate = ratio(succeeded, totals.calls);
  if (succeeded > 0) answer.averageLatencyMs = ratio(totals.latency_ms, succeeded);
  if (totals.streamed > 0) answer.averageTimeToFirstTokenMs = ratio(totals.first_token_ms, totals.streamed);
  co_return web::reply(answer);
}

web::Answer show_metrics(const Services& services, const web::Request& request) {
  const auto user = user_in_path(services, request);
  if (!user) co_return user.error();
  const auto& ledger = services.ledger;
  const auto [day, month] = current_periods();
  const MetricsSummary answer{.userId = user_text(*user),
                              .day = summary_of(ledger, *user, day),
                              .month = summary_of(ledger, *user, month),
                              .agents = count_used(ledger, *user, slice::agents, month),
                              .models = count_used(ledger, *user, slice::models, month),
                              .tools = count_used(ledger, *user, slice::tools, month)};
  co_return web::reply(answer);
}

}  // namespace usage
