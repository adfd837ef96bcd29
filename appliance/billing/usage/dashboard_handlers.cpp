// /api/dashboard: the caller's own usage.
#include "appliance/billing/usage/handlers.h"
#include "appliance/billing/usage/views.h"
#include "web/routes/reply.h"

namespace usage {

web::Answer show_own_cost(const Services& services, const web::Request& request) {
  constexpr int days = 30;
  const auto& ledger = services.ledger;
  const auto user = request.caller.user_id;
  const auto month = Period::month(store::now());
  const CostAnswer answer{.period = month.name(),
                          .total = ledger.totals(user, month).cost.to_string(),
                          .byAgent = rows(ledger, user, slice::agents, month),
                          .byModel = rows(ledger, user, slice::models, month),
                          .byDay = daily(ledger, user, days),
                          .ownKeys = {.total = ledger.own_key_totals(user, month).cost.to_string(),
                                      .byModel = rows(ledger, user, slice::with_own_keys(slice::models), month)}};
  co_return web::reply(answer);
}

web::Answer list_own_calls(const Services& services, const web::Request& request, CallsQuery query) {
  co_return web::reply(calls_page(services.ledger, request.caller.user_id, std::move(query)));
}

}  // namespace usage
