#include "appliance/billing/plan_requests/routes.h"

#include "appliance/billing/plan_requests/handlers.h"
#include "web/routes/endpoint.h"

namespace billing::plan_requests {

namespace {

const web::RateLimit request_rate{.group = "plan-requests", .limit = 10};

std::vector<web::Route> admin_routes(const web::Guard& guard, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/admin/plan-requests", guard, nullptr, web::plain(on(list_requests)).returns<PendingList>(),
       "List the pending requests for a plan"},
      {web::POST, "/api/admin/plan-requests/:user/approve", guard, nullptr,
       web::body<DecisionRequest>(on(approve_request))
           .returns<RequestView>()
           .fails({web::Kind::not_found})
           .describe("The user has the plan at once. `user` is the user's id; `reason` is shown to the user."),
       "Approve a user's request for a plan"},
      {web::POST, "/api/admin/plan-requests/:user/deny", guard, nullptr,
       web::body<DecisionRequest>(on(deny_request))
           .returns<RequestView>()
           .fails({web::Kind::not_found})
           .describe("`user` is the user's id; `reason` is shown to the user."),
       "Deny a user's request for a plan"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  std::vector<web::Route> table{
      {web::GET, "/api/subscriptions/request", session, nullptr, web::plain(on(show_request)).returns<OwnRequest>(),
       "Your request for a plan, and what became of it"},
      {web::POST, "/api/subscriptions/request", session, &request_rate,
       web::body<NewRequest>(on(request_plan))
           .returns<OwnRequest>(201)
           .fails({web::Kind::conflict})
           .describe("`plan` is label, solo, collective or network. An administrator approves or denies it. A new "
                     "request replaces the previous one."),
       "Request a plan"},
  };
  web::append(table, admin_routes(guards.admin_session, on));
  return table;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return admin_routes(guards.backend.users, on);
}

}  // namespace billing::plan_requests
