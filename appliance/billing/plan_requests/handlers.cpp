#include "appliance/billing/plan_requests/handlers.h"

#include "appliance/identity/accounts/user_id.h"
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

}  // namespace

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

}  // namespace billing::plan_requests
