#include "appliance/network/colony/handlers.h"

#include <algorithm>

#include "appliance/foundation/version.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace colony {

namespace {

// The liveliest of them.
Soul soul_of(const std::vector<fleet::Soul>& souls) {
  Soul soul{.total = static_cast<std::int64_t>(souls.size())};
  const auto has = [&souls](fleet::Status status) {
    return std::ranges::any_of(souls, [status](const fleet::Soul& one) { return one.status == status; });
  };
  soul.reachable = std::ranges::count_if(souls, &fleet::Soul::is_reachable);
  if (has(fleet::Status::active))
    soul.state = SoulState::active;
  else if (has(fleet::Status::idle))
    soul.state = SoulState::idle;
  else if (has(fleet::Status::stale))
    soul.state = SoulState::stale;
  return soul;
}

Diagnostics diagnostics_of(const std::vector<Member>& members, std::string_view engine) {
  Diagnostics diagnostics{.version = agentbox::version, .engine = std::string(engine), .agents = counts_of(members)};
  for (const auto& [agent, watch] : members) {
    diagnostics.crashes += watch.crashes;
    diagnostics.repairs += watch.repairs;
    const bool is_ill = agent.status == agents::Status::error || watch.state == watchdog::State::degraded ||
                        watch.state == watchdog::State::crash_loop;
    if (is_ill)
      diagnostics.problems.push_back(
          agent.name + ": " + (agent.status_reason.empty() ? std::string("It does not answer.") : agent.status_reason));
  }
  return diagnostics;
}

Limits limits_of(const std::optional<billing::Subscription>& subscription) {
  if (!subscription) return {};
  return {.plan = std::string(billing::to_string(subscription->plan)),
          .agents = billing::limits(subscription->plan).agents,
          .generations = billing::generation_limit(subscription->plan)};
}

web::Answer show_status(const Services& services, const web::Request& request) {
  const auto user = request.caller.user_id;
  const auto souls = co_await services.souls.of(user);
  const auto members = members_of(services.system.tenant(user));
  co_return web::json(boost::json::object{{"soul", web::to_json(soul_of(souls))},
                                          {"tree", tree_of(members)},
                                          {"count", members.size()},
                                          {"deepestGeneration", deepest_generation(members)},
                                          {"limits", web::to_json(limits_of(services.subscriptions.active(user)))},
                                          {"diagnostics", web::to_json(diagnostics_of(members, services.engine))},
                                          {"timestamp", web::iso8601(store::now())}});
}

constexpr const char* status_text =
    "`tree` has all of your agents by descent: each has `children`, its clones. soul.state is that of the liveliest "
    "soul of the fleet (GET /api/mission-control/fleet/graph), offline without one. `limits` are those of your plan. "
    "diagnostics.problems has a sentence for each agent that failed or does not answer.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/colony/status", guards.session, nullptr,
       web::plain(on(show_status)).returns<Status>().describe(status_text), "Your agents by descent, and how they are"},
  };
}

}  // namespace colony
