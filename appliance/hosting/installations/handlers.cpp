#include "appliance/hosting/installations/handlers.h"

namespace installations {

namespace {

constexpr std::size_t max_listed = 10'000;

// Every plan has all features within its limits; the largest one has no token limit.
std::vector<std::string> features_of(billing::Plan plan) {
  std::vector<std::string> features{"agents",          "chat",   "memory",    "files",
                                    "scheduled-tasks", "skills", "agent-bus", "ai"};
  if (!billing::limits(plan).monthly_tokens) features.emplace_back("unlimited-tokens");
  return features;
}

web::Answer register_as(Mode mode, const Services& services, RegisterRequest body) {
  const auto registered = co_await services.installations.register_one(std::move(body.userId), mode);
  if (!registered) co_return registered.error();
  const std::string name = boost::describe::enum_to_string(mode, "");
  const RegisterAnswer answer{.message = "The installation is registered in " + name + " mode.",
                              .dashboardUrl = services.web_url() + "/dashboard"};
  co_return web::reply(answer, 200);
}

web::Answer register_home(const Services& services, const web::Request&, RegisterRequest body) {
  const auto mode = body.mode.value_or(Mode::home);
  return register_as(mode, services, std::move(body));
}

web::Answer register_link(const Services& services, const web::Request&, RegisterRequest body) {
  return register_as(Mode::link, services, std::move(body));
}

web::Answer list_installations(const Services& services, const web::Request&, InstallationQuery query) {
  InstallationList answer;
  const auto limit = query.limit ? std::size_t(query.limit->value) : max_listed;
  auto found = services.installations.list(query.after ? std::string(*query.after) : std::string(), limit + 1);
  if (found.size() > limit) {
    found.pop_back();
    answer.next = found.back().user_id;
  }
  for (auto& installation : found) {
    const auto status = services.installations.is_active(installation) ? Status::active : Status::inactive;
    answer.installations.push_back({std::move(installation.user_id), installation.mode, installation.registered_at,
                                    installation.last_seen, status});
  }
  answer.count = std::int64_t(answer.installations.size());
  co_return web::reply(answer, 200);
}

web::Answer record_heartbeat(const Services& services, const web::Request&, HeartbeatRequest body) {
  if (body.userId) co_await services.installations.record_heartbeat(std::move(*body.userId));
  const HeartbeatAnswer answer{.timestamp = store::now()};
  co_return web::reply(answer, 200);
}

web::Answer validate_key(const Services& services, const web::Request& request) {
  KeyAnswer answer{.userId = std::to_string(request.caller.user_id), .plan = {}, .features = {}};
  if (const auto held = services.subscriptions.active(request.caller.user_id)) {
    answer.plan = std::string(billing::to_string(held->plan));
    answer.features = features_of(held->plan);
  }
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/validate-key", guards.installation_key, nullptr,
       web::plain(on(validate_key)).returns<KeyAnswer>(), "The user and the plan of an API key"},
      {web::POST, "/api/register-home", guards.backend.users, nullptr,
       web::body<RegisterRequest>(on(register_home))
           .returns<RegisterAnswer>()
           .fails({web::Kind::not_found})
           .describe(
               "Registering again replaces the mode. `gatewayToken` is accepted and not used. 404 for a user that "
               "does not exist."),
       "Register an installation"},
      {web::POST, "/api/register-link", guards.backend.users, nullptr,
       web::body<RegisterRequest>(on(register_link))
           .returns<RegisterAnswer>()
           .fails({web::Kind::not_found})
           .describe("Like register-home, with the mode `link` whatever the body says."),
       "Register an installation in Link mode"},
      {web::GET, "/api/installations", guards.backend.users, nullptr,
       web::query<InstallationQuery>(on(list_installations))
           .returns<InstallationList>()
           .describe("`inactive` after three times INSTALLATION_HEARTBEAT_INTERVAL without a heartbeat. By userId; at "
                     "most `limit` "
                     "(10,000 by default) after the userId `after`. `next` is the `after` of the next page, or null."),
       "Registered installations"},
      {web::POST, "/api/heartbeat", guards.none, nullptr,
       web::body<HeartbeatRequest>(on(record_heartbeat))
           .returns<HeartbeatAnswer>()
           .describe("The answer is the same whether or not an installation is registered for this userId."),
       "Heartbeat of an installation"},
  };
}

}  // namespace installations
