// /api/usage: the usage of any user.
#include "appliance/billing/usage/handlers.h"
#include "appliance/billing/usage/views.h"
#include "web/routes/reply.h"
#include "web/task.h"

namespace usage {

namespace {

web::Answer list_by_kind(const Services& services, UserMonthQuery query, std::string_view kind) {
  const auto& ledger = services.ledger;
  const auto user = find_user(services, query.userId);
  if (!user) co_return user.error();
  const auto month = parse_month(query.period);
  if (!month) co_return month.error();
  RowsAnswer answer{.userId = user_text(*user),
                    .period = month->name(),
                    .rows = rows(ledger, *user, kind, *month),
                    .ownKeys = rows(ledger, *user, slice::with_own_keys(kind), *month)};
  answer.count = static_cast<std::int64_t>(answer.rows.size());
  co_return web::reply(answer);
}

// The accounts and those who have none: the operator, the demo's visitors and the gateway's.
std::vector<store::UserId> everybody(const Services& services) {
  auto users = services.users();
  users.insert(users.end(), {store::UserId{0}, demo_user, gateway_user});
  return users;
}

void add(Totals& sum, const Totals& more) {
  sum.calls += more.calls;
  sum.failed += more.failed;
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cached_tokens += more.cached_tokens;
  sum.reasoning_tokens += more.reasoning_tokens;
  sum.unpriced += more.unpriced;
  sum.cost += more.cost;
}

Summary sum_of(const Ledger& ledger, const std::vector<store::UserId>& users) {
  const auto [day, month] = current_periods();
  Totals of_day, of_month, own_keys;
  for (const auto user : users) {
    add(of_day, ledger.totals(user, day));
    add(of_month, ledger.totals(user, month));
    add(own_keys, ledger.own_key_totals(user, month));
  }
  return {.userId = {},
          .day = summary_of(of_day, day),
          .month = summary_of(of_month, month),
          .ownKeys = summary_of(own_keys, month)};
}

}  // namespace

web::Answer show_summary(const Services& services, const web::Request&, SummaryQuery query) {
  if (!query.userId) {
    const auto sum_up = [&services] { return sum_of(services.ledger, everybody(services)); };
    const auto answer = co_await web::offload(services.blocking, sum_up);
    co_return web::reply(answer);
  }
  const auto user = find_user(services, *query.userId);
  if (!user) co_return user.error();
  const std::vector<store::UserId> users{*user};
  auto answer = sum_of(services.ledger, users);
  answer.userId = user_text(*user);
  co_return web::reply(answer);
}

web::Answer show_agent(const Services& services, const web::Request& request, UserQuery query) {
  const auto user = find_user(services, query.userId);
  if (!user) co_return user.error();
  const auto& agent = request.param("agentId");
  const auto [day, month] = current_periods();
  const AgentUsage answer{.userId = user_text(*user),
                          .agentId = agent,
                          .day = summary_of(services.ledger.agent_totals(*user, agent, day), day),
                          .month = summary_of(services.ledger.agent_totals(*user, agent, month), month)};
  co_return web::reply(answer);
}

web::Answer list_by_model(const Services& services, const web::Request&, UserMonthQuery query) {
  return list_by_kind(services, std::move(query), slice::models);
}

web::Answer list_by_tool(const Services& services, const web::Request&, UserMonthQuery query) {
  return list_by_kind(services, std::move(query), slice::tools);
}

web::Answer list_days(const Services& services, const web::Request&, UserDaysQuery query) {
  const auto user = find_user(services, query.userId);
  if (!user) co_return user.error();
  co_return web::reply(daily_answer(services.ledger, *user, query.days));
}

web::Answer list_calls(const Services& services, const web::Request&, UserCallsQuery query) {
  const auto user = find_user(services, query.userId);
  if (!user) co_return user.error();
  CallsQuery page{.before = std::move(query.before), .limit = query.limit};
  co_return web::reply(calls_page(services.ledger, *user, std::move(page)));
}

}  // namespace usage
