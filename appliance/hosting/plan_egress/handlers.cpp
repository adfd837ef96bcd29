#include "appliance/hosting/plan_egress/handlers.h"

#include <boost/json/serialize.hpp>

#include "appliance/hosting/plan_egress/plan_egress.h"
#include "web/routes/reply.h"

namespace plan_egress {

web::Answer show_bounds(const Services& services, const web::Request&) {
  BoundList answer;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<billing::Plan>>([&](auto one) {
    const auto bound = bound_of(services.system, one.value);
    answer.plans.push_back({.plan = std::string(billing::to_string(one.value)), .egress = agents::shown(bound)});
  });
  co_return web::reply(answer, 200);
}

web::Answer change_bound(const Services& services, const web::Request& request, NewBound body) {
  const auto plan = billing::plan_named(request.param("plan"));
  if (!plan) co_return web::not_found("No such plan: there are " + billing::plan_names());
  const auto bound = agents::read_egress(body.egress, "egress");
  if (!bound) co_return bound.error();
  co_await set_bound(services.system, *plan, *bound);
  const BoundView answer{.plan = std::string(billing::to_string(*plan)), .egress = agents::shown(*bound)};
  auto entry = audit::of_request(request, "egress of a plan bounded",
                                 answer.plan + ": " + boost::json::serialize(answer.egress));
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

}  // namespace plan_egress
