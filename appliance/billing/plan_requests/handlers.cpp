#include "appliance/billing/plan_requests/handlers.h"

#include "appliance/access/records.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace billing::plan_requests {

namespace {

RequestView view(const PlanRequest& request) {
  return {.plan = request.plan,
          .note = request.note,
          .state = request.state,
          .requestedAt = request.requested_at,
          .decidedAt = request.decided_at,
          .reason = request.reason.empty() ? std::nullopt : std::optional(request.reason)};
}

web::Answer decide(const Services& services, const web::Request& request, State state, DecisionRequest body) {
  const auto user = accounts::parse_user_id(request.param("user"));
  if (!user) co_return web::not_found("No such pending request");
  Decision decision{.state = state, .reason = {}};
  if (body.reason) decision.reason = std::move(*body.reason);
  const auto decided = co_await services.requests.decide(*user, std::move(decision));
  if (!decided) co_return decided.error();
  auto entry = audit::of_request(
      request, "plan " + std::string(to_string(decided->plan)) + " " + boost::describe::enum_to_string(state, ""), "");
  entry.user_id = *user;
  co_await services.audit.note(std::move(entry));
  co_return web::reply(view(*decided), 200);
}

web::Answer request_plan(const Services& services, const web::Request& request, NewRequest body) {
  const auto plan = plan_named(body.plan);
  if (!plan) co_return web::invalid("plan must be one of: " + plan_names());
  std::string note = body.note ? std::move(*body.note) : std::string();
  const auto requested = co_await services.requests.request(request.caller.user_id, *plan, std::move(note));
  if (!requested) co_return requested.error();
  const OwnRequest answer{.request = view(*requested)};
  co_return web::reply(answer, 201);
}

web::Answer show_request(const Services& services, const web::Request& request) {
  OwnRequest answer;
  if (const auto found = services.requests.find(request.caller.user_id)) answer.request = view(*found);
  co_return web::reply(answer, 200);
}

web::Answer list_requests(const Services& services, const web::Request&) {
  PendingList answer;
  for (const auto& request : services.requests.pending()) {
    const auto user = services.accounts.find(request.user_id);
    if (!user) continue;
    PendingView pending{.userId = std::to_string(user->id),
                        .email = user->email,
                        .currentPlan = std::nullopt,
                        .request = view(request)};
    if (const auto held = services.requests.plan_of(user->id)) pending.currentPlan = std::string(to_string(*held));
    answer.requests.push_back(std::move(pending));
  }
  answer.count = static_cast<std::int64_t>(answer.requests.size());
  co_return web::reply(answer, 200);
}

web::Answer approve_request(const Services& services, const web::Request& request, DecisionRequest body) {
  co_return co_await decide(services, request, State::approved, std::move(body));
}

web::Answer deny_request(const Services& services, const web::Request& request, DecisionRequest body) {
  co_return co_await decide(services, request, State::denied, std::move(body));
}

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
           .describe("`plan` is label, solo, collective or network. An administrator approves or denies it, and "
                     "is notified by mail if the box sends any. A new request replaces the previous one."),
       "Request a plan"},
  };
  web::append(table, admin_routes(guards.admin_session, on));
  return table;
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return admin_routes(guards.backend.users, on);
}

}  // namespace billing::plan_requests
