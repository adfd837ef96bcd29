#include "appliance/hosting/plan_egress/handlers.h"

#include <boost/json/serialize.hpp>

#include "appliance/hosting/plan_egress/plan_egress.h"
#include "web/routes/reply.h"

namespace plan_egress {

namespace {

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

constexpr const char* about_bounds =
    "`egress` is the most that agents of the plan may reach: web (default: what each agent's config says), none, or a "
    "list of at most 100 host names (.example.org: all names under example.org).";
constexpr const char* about_setting =
    "Agents whose config asks for more are refused (403) when they are made or their config is changed; those that are "
    "there reach what both admit. It takes effect at once, for connections of containers at their next start.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.internal;
  return {
      {web::GET, "/api/admin/plans/egress", key, nullptr,
       web::plain(on(show_bounds)).returns<BoundList>().describe(about_bounds), "What agents of each plan may reach"},
      {web::PUT, "/api/admin/plans/:plan/egress", key, nullptr,
       web::body<NewBound>(on(change_bound)).returns<BoundView>().describe(about_setting),
       "Bound what agents of a plan may reach"},
  };
}

}  // namespace plan_egress
