#include "appliance/network/colony/platform_metrics.h"

#include <algorithm>

#include "appliance/billing/spans/records.h"
#include "appliance/foundation/version.h"
#include "appliance/hosting/schedule/records.h"
#include "web/routes/reply.h"

namespace platform_metrics {

namespace {

// Nothing of nothing.
std::optional<double> ratio(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

UsageMetrics usage_of(const usage::Ledger& ledger, store::UserId user, const usage::Period& period) {
  const auto totals = ledger.totals(user, period);
  const auto succeeded = totals.calls - totals.failed;
  return {.period = period.name(),
          .usage = usage::totals_view(totals),
          .successRate = ratio(succeeded, totals.calls),
          .averageLatencyMs = ratio(totals.latency_ms, succeeded),
          .averageTimeToFirstTokenMs = ratio(totals.first_token_ms, totals.streamed)};
}

TurnMetrics turns_of(const store::Tenant& tenant, store::Time now) {
  TurnMetrics turns;
  std::int64_t succeeded = 0, recent = 0;
  for (const auto& activity : tenant.list(spans::activities, {.limit = std::size_t(-1), .after = {}})) {
    turns.total += activity.turns;
    turns.lastDay += spans::last_day(activity.messages, now);
    succeeded += std::ranges::count(activity.recent, '1');
    recent += static_cast<std::int64_t>(activity.recent.size());
  }
  turns.successRate = ratio(succeeded, recent);
  return turns;
}

web::Answer show_metrics(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
  co_await services.recorder.written();
  const auto tenant = services.system.tenant(user);
  const auto now = store::now();
  const Metrics metrics{.agents = colony::counts_of(colony::members_of(tenant)),
                        .turns = turns_of(tenant, now),
                        .scheduledTasks = tenant.counter(schedule::count),
                        .spans = tenant.counter(spans::count),
                        .day = usage_of(services.ledger, user, usage::Period::day(now)),
                        .month = usage_of(services.ledger, user, usage::Period::month(now)),
                        .version = agentbox::version,
                        .timestamp = now};
  co_return web::reply(metrics);
}

constexpr const char* metrics_text =
    "Your own figures: agents by status, their turns (messages they answered), scheduled prompts, kept spans, and the "
    "model calls of today and this month (UTC) without those with your own provider keys. Rates are null where there "
    "is "
    "nothing to divide by.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/metrics", guards.session, nullptr,
       web::plain(on(show_metrics)).returns<Metrics>().describe(metrics_text),
       "Your agents and model calls in figures"},
  };
}

}  // namespace platform_metrics
