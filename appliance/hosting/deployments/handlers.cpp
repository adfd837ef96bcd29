#include "appliance/hosting/deployments/handlers.h"

#include "appliance/access/records.h"
#include "appliance/foundation/email.h"

namespace deployments {

namespace {

constexpr auto default_name = "agent";

template <class T>
std::string text_or(std::optional<T> given, std::string fallback = {}) {
  return given ? std::string(std::move(*given)) : std::move(fallback);
}

DeploymentSpec spec_of(DeployRequest body) {
  return {.agent = std::move(body.agentId),
          .name = text_or(std::move(body.name), default_name),
          .model = text_or(std::move(body.model)),
          .ai_provider = text_or(std::move(body.aiProvider)),
          .plan = std::move(body.plan),
          .config = std::move(body.config).value_or(boost::json::object()),
          .is_deployment = true};
}

DeploymentSpec spec_of(const ProvisionRequest& body) {
  return {.agent = {},
          .name = text_or(body.name, default_name),
          .model = text_or(body.model),
          .ai_provider = text_or(body.aiProvider),
          .plan = body.plan,
          .config = body.config.value_or(boost::json::object())};
}

ChannelTokens channels_of(ProvisionRequest body) {
  return {.telegram = std::move(body.telegramToken),
          .discord = std::move(body.discordToken),
          .slack = std::move(body.slackToken),
          .whatsapp = std::move(body.whatsappToken)};
}

web::Answer reply_with(const Services& services, web::Result<agents::Agent> agent) {
  if (!agent) co_return agent.error();
  ProvisionAnswer answer{.userId = std::to_string(agent->owner),
                         .subdomain = agent->subdomain,
                         .url = services.addresses.url(agent->subdomain),
                         .streamKey = {},
                         .liveStreamId = {}};
  auto stream = co_await services.stream_source(*agent);
  if (stream) {
    answer.streamKey = std::move(stream->key);
    answer.liveStreamId = std::move(stream->id);
  }
  co_return web::reply(answer, 200);
}

web::Answer deploy(const Services& services, const web::Request& request, DeployRequest body) {
  const auto user = accounts::parse_user_id(body.userId);
  if (!user) co_return web::invalid("userId must be a user's id");
  const auto email = agentbox::normalised_email(request.header("x-user-email"));
  const bool is_for_admin = email && services.spend_policy.is_admin(*email);
  const auto deployed = co_await services.deployments.deploy(*user, spec_of(std::move(body)), is_for_admin);
  if (!deployed) co_return deployed.error();
  auto answer = agents::show<DeployAnswer>(view_of(deployed->agent, services.addresses));
  answer.agentId = deployed->agent.id;
  answer.userId = std::to_string(*user);
  answer.alreadyActive = deployed->was_active;
  co_return web::reply(answer, deployed->was_active ? 200 : 201);
}

web::Answer provision(const Services& services, const web::Request& request, ProvisionRequest body) {
  auto spec = spec_of(body);
  auto agent = co_await services.deployments.provision(request.caller, std::move(spec), channels_of(std::move(body)));
  co_return co_await reply_with(services, std::move(agent));
}

web::Answer provision_for_user(const Services& services, const web::Request&, BackendProvisionRequest body) {
  const auto user = accounts::parse_user_id(body.userId);
  if (!user) co_return web::invalid("userId must be a user's id");
  auto spec = spec_of(body);
  auto agent = co_await services.deployments.provision_for(*user, std::move(spec), channels_of(std::move(body)));
  co_return co_await reply_with(services, std::move(agent));
}

const web::RateLimit deployment_rate{.group = "deployments", .limit = 5, .message = "Deployment rate limit exceeded."};
const web::RateLimit provision_rate{.group = "provision", .limit = 5};

constexpr auto about_provision =
    "Channel tokens are stored encrypted in the config, where they are shown as {\"sealed\": true}, and connect the "
    "agent's channels (GET /api/agents/:id/channels); one that the provider refuses is an error of its channel. Agents "
    "per user on "
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
      {web::POST, "/api/provision", guards.session, &provision_rate,
       web::body<ProvisionRequest>(on(provision)).returns<ProvisionAnswer>().describe(about_provision),
       "Provision an agent with messaging channels"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& key = guards.backend.agents;
  return {
      {web::POST, "/api/deployments", key, &deployment_rate,
       web::body<DeployRequest>(on(deploy)).returns<DeployAnswer>(201).describe(about_deploy), "Deploy an agent"},
      {web::POST, "/api/provision", guards.backend.agents_secrets, nullptr,
       web::body<BackendProvisionRequest>(on(provision_for_user)).returns<ProvisionAnswer>().describe(about_provision),
       "Provision an agent with messaging channels for a user"},
  };
}

}  // namespace deployments
