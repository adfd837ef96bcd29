#include "appliance/hosting/plan_egress/routes.h"

#include "appliance/hosting/plan_egress/handlers.h"

namespace plan_egress {

namespace {

constexpr const char* about_bounds =
    "`egress` is the most that agents of the plan may reach: web (default: what each agent's config says), none, or a "
    "list of at most 100 host names (.example.org: all names beneath example.org).";
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
