#include "appliance/billing/usage/views.h"

#include "appliance/access/records.h"

namespace usage {

namespace {

constexpr std::int64_t default_calls = 50, default_days = 30;

}  // namespace

std::optional<store::UserId> parse_user(std::string_view text) {
  if (text == demo_name) return demo_user;
  if (text == gateway_name) return gateway_user;
  return accounts::parse_user_id(text);
}

web::Result<store::UserId> find_user(const Services& services, std::string_view text) {
  const auto user = parse_user(text);
  if (!user) return web::invalid("userId must be a user's id, or demo");
  const bool exists = *user == demo_user || *user == gateway_user || services.is_user(*user);
  if (!exists) return web::not_found("No such user");
  return *user;
}

std::string user_text(store::UserId user) {
  if (user == demo_user) return std::string(demo_name);
  if (user == gateway_user) return std::string(gateway_name);
  return std::to_string(user);
}

web::Result<Period> parse_month(const std::optional<web::Text<1, 20>>& name) {
  if (!name) return Period::month(store::now());
  const auto month = Period::month_named(*name);
  if (!month) return web::invalid("period must be a calendar month, such as " + Period::month(store::now()).name());
  return *month;
}

CurrentPeriods current_periods() {
  const auto now = store::now();
  return {.day = Period::day(now), .month = Period::month(now)};
}

PeriodSummary summary_of(const Totals& totals, const Period& period) { return {totals_view(totals), period.name()}; }

PeriodSummary summary_of(const Ledger& ledger, store::UserId user, const Period& period) {
  return summary_of(ledger.totals(user, period), period);
}

DailyAnswer daily_answer(const Ledger& ledger, store::UserId user, const std::optional<web::Integer<1, 366>>& days) {
  const auto count = days ? days->value : default_days;
  return {.userId = user_text(user), .days = daily(ledger, user, static_cast<int>(count))};
}

CallsAnswer calls_page(const Ledger& ledger, store::UserId user, CallsQuery query) {
  const auto limit = static_cast<std::size_t>(query.limit ? query.limit->value : default_calls);
  auto found = ledger.newest(user, limit + 1, query.before.value_or(""));
  CallsAnswer answer;
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().id;
  }
  for (const auto& call : found) answer.calls.push_back(call_row(call));
  answer.count = static_cast<std::int64_t>(found.size());
  return answer;
}

}  // namespace usage
