#include "appliance/hosting/installations/handlers.h"

namespace installations {

namespace {

constexpr std::size_t most_listed = 10'000;

// Every plan has all features within its limits; the largest one has no token limit.
std::vector<std::string> features_of(billing::Plan plan) {
  std::vector<std::string> features{"agents",          "chat",   "memory",    "files",
                                    "scheduled-tasks", "skills", "agent-bus", "ai"};
  if (!billing::limits(plan).monthly_tokens) features.emplace_back("unlimited-tokens");
  return features;
}

web::Answer register_as(Mode mode, const Services& services, RegisterRequest body) {
  co_await services.installations.register_one(std::move(body.userId), mode);
  const std::string name = boost::describe::enum_to_string(mode, "");
  const RegisterAnswer answer{.message = "The installation is registered in " + name + " mode.",
                              .dashboardUrl = services.web_url() + "/dashboard"};
  co_return web::reply(answer, 200);
}

}  // namespace

web::Answer register_home(const Services& services, const web::Request&, RegisterRequest body) {
  const auto mode = body.mode.value_or(Mode::home);
  return register_as(mode, services, std::move(body));
}

web::Answer register_link(const Services& services, const web::Request&, RegisterRequest body) {
  return register_as(Mode::link, services, std::move(body));
}

web::Answer list_installations(const Services& services, const web::Request&, InstallationQuery query) {
  InstallationList answer;
  const auto limit = query.limit ? std::size_t(query.limit->value) : most_listed;
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

}  // namespace installations
