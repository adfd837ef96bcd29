#include "appliance/network/skills/sale_handlers.h"

#include "appliance/network/skills/sales.h"

namespace skills {

namespace {

SaleItem view(const Services& services, const SkillOnSale& sale) {
  const auto skill = services.catalogue.find(sale.skill);
  return {.skill = sale.skill,
          .agentId = sale.agent,
          .userId = std::to_string(sale.owner),
          .price = skill ? skill->price.to_string() : std::string(),
          .since = sale.since};
}

}  // namespace

web::Answer list_sales(const Services& services, const web::Request&) {
  SaleList answer;
  for (const auto& sale : services.sales.list()) answer.skills.push_back(view(services, sale));
  answer.count = std::int64_t(answer.skills.size());
  co_return web::reply(answer, 200);
}

web::Answer put_on_sale(const Services& services, const web::Request& request, SaleRequest body) {
  const auto sale = co_await services.sales.put(request.param("name"), std::string(body.agentId));
  auto entry = audit::of_request(request, "skill put on sale by admin", request.param("name"));
  if (!sale) entry.outcome = sale.error().message;
  co_await services.audit.note(std::move(entry));
  if (!sale) co_return sale.error();
  co_return web::reply(view(services, *sale), 200);
}

web::Answer end_sale(const Services& services, const web::Request& request) {
  const auto removed = co_await services.sales.remove(request.param("name"));
  auto entry = audit::of_request(request, "skill taken off sale by admin", request.param("name"));
  if (!removed) entry.outcome = removed.error().message;
  co_await services.audit.note(std::move(entry));
  if (!removed) co_return removed.error();
  co_return web::reply(Removed{.skill = request.param("name")}, 200);
}

}  // namespace skills
