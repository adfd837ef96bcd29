#include "appliance/hosting/deployments/handlers.h"

#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/user_id.h"

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

Channels channels_of(ProvisionRequest body) {
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
  if (services.stream_source) {
    auto stream = co_await services.stream_source(*agent);
    if (stream) {
      answer.streamKey = std::move(stream->key);
      answer.liveStreamId = std::move(stream->id);
    }
  }
  co_return web::reply(answer, 200);
}

}  // namespace

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

}  // namespace deployments
