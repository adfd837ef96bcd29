// /api/usage: the usage of any user.
#include "appliance/billing/usage/handlers.h"
#include "appliance/billing/usage/views.h"
#include "web/reply.h"

namespace usage {

namespace {

web::Error invalid_user() { return web::invalid("userId must be a user's id, or demo"); }

web::Answer list_by_kind(const Ledger& ledger, UserMonthQuery query, std::string_view kind) {
  const auto user = parse_user(query.userId);
  if (!user) co_return invalid_user();
  const auto month = parse_month(query.period);
  if (!month) co_return month.error();
  RowsAnswer answer{.userId = user_text(*user),
                    .period = month->name(),
                    .rows = rows(ledger, *user, kind, *month),
                    .ownKeys = rows(ledger, *user, slice::with_own_keys(kind), *month)};
  answer.count = static_cast<std::int64_t>(answer.rows.size());
  co_return web::reply(answer);
}

}  // namespace

web::Answer show_summary(const Services& services, const web::Request&, UserQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return invalid_user();
  const auto [day, month] = current_periods();
  const Summary answer{.userId = user_text(*user),
                       .day = summary_of(services.ledger, *user, day),
                       .month = summary_of(services.ledger, *user, month),
                       .ownKeys = summary_of(services.ledger.own_key_totals(*user, month), month)};
  co_return web::reply(answer);
}

web::Answer show_agent(const Services& services, const web::Request& request, UserQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return invalid_user();
  const auto& agent = request.param("agentId");
  const auto [day, month] = current_periods();
  const AgentUsage answer{.userId = user_text(*user),
                          .agentId = agent,
                          .day = summary_of(services.ledger.agent_totals(*user, agent, day), day),
                          .month = summary_of(services.ledger.agent_totals(*user, agent, month), month)};
  co_return web::reply(answer);
}

web::Answer list_by_model(const Services& services, const web::Request&, UserMonthQuery query) {
  return list_by_kind(services.ledger, std::move(query), slice::models);
}

web::Answer list_by_tool(const Services& services, const web::Request&, UserMonthQuery query) {
  return list_by_kind(services.ledger, std::move(query), slice::tools);
}

web::Answer list_days(const Services& services, const web::Request&, UserDaysQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return invalid_user();
  co_return web::reply(daily_answer(services.ledger, *user, query.days));
}

web::Answer list_calls(const Services& services, const web::Request&, UserCallsQuery query) {
  const auto user = parse_user(query.userId);
  if (!user) co_return invalid_user();
  CallsQuery page{.before = std::move(query.before), .limit = query.limit};
  co_return web::reply(calls_page(services.ledger, *user, std::move(page)));
}

}  // namespace usage
