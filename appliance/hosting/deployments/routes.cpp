#include "appliance/hosting/deployments/routes.h"

#include "appliance/hosting/deployments/handlers.h"
#include "appliance/identity/key_scopes/key_guards.h"

namespace deployments {

namespace {

const web::RateLimit deployment_rate{.group = "deployments", .limit = 5, .message = "Deployment rate limit exceeded."};
const web::RateLimit provision_rate{.group = "provision", .limit = 5};

constexpr auto about_provision =
    "Channel tokens are stored encrypted in the config, where they are shown as {\"sealed\": true}. Agents per user on "
    "this route: solo 1, collective 3, label 10, network unlimited, by the plan of the subscription; `plan` may name a "
    "smaller one. The agent has a live stream, streamKey and liveStreamId, where streaming is configured and the plan "
    "is solo "
    "or larger; else they are null. The agent starts after the answer.";

constexpr auto about_deploy =
    "Starts the agent `agentId` of `userId`, or the one called `name` (default: agent). If there is none of that name, "
    "one is created within the limit of `plan` (default: label): label 1, solo 3, collective 10, network 100; "
    "administrators (`userId`, or the header x-user-email) are not held to it. 201 if "
    "this request deployed it; 200 if it was running or another request was deploying it, so that concurrent requests "
    "create one agent. 402 with AGENT_LIMIT_REACHED, current and limit. Answers once it runs, after at most 15 "
    "seconds; `status` and `statusReason` give the outcome.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/provision",
       agentbox::session_or_key(guards, key_scopes::Scope::agents_write, agentbox::About::account), &provision_rate,
       web::body<ProvisionRequest>(on(provision)).returns<ProvisionAnswer>().describe(about_provision),
       "Provision an agent with messaging channels"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.agents;
  return {
      {web::POST, "/api/deployments", key, &deployment_rate,
       web::body<DeployRequest>(on(deploy)).returns<DeployAnswer>(201).describe(about_deploy), "Deploy an agent"},
      {web::POST, "/api/provision", key, nullptr,
       web::body<BackendProvisionRequest>(on(provision_for_user)).returns<ProvisionAnswer>().describe(about_provision),
       "Provision an agent with messaging channels for a user"},
  };
}

}  // namespace deployments
