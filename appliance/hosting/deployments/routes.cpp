#include "appliance/hosting/deployments/routes.h"

#include "appliance/identity/accounts/user_id.h"
#include "web/endpoint.h"

namespace deployments {

namespace {

using web::Request;
using web::Response;
using web::Result;
using Handled = web::Task<Result<Response>>;

const web::RateLimit deployment_rate{.group = "deployments", .limit = 5, .message = "Deployment rate limit exceeded."};
const web::RateLimit provision_rate{.group = "provision", .limit = 5};

using Token = web::Text<1, 512>;

struct Deploy {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 128>> agentId;
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(Deploy, (), (userId, agentId, name, plan, aiProvider, model, config))

struct DeployedView {
  bool success = true;
  std::string id, agentId, userId, name;
  agents::Status status;
  std::string statusReason;  // empty while all is well
  std::string plan, subdomain, url;
  bool alreadyActive;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(DeployedView, (),
                      (success, id, agentId, userId, name, status, statusReason, plan, subdomain, url, alreadyActive,
                       createdAt))

struct Provision {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
  std::optional<Token> telegramToken, discordToken, slackToken, whatsappToken;
};
BOOST_DESCRIBE_STRUCT(Provision, (),
                      (name, plan, aiProvider, model, config, telegramToken, discordToken, slackToken, whatsappToken))

struct ProvisionFor : Provision {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(ProvisionFor, (Provision), (userId))

struct Provisioned {
  bool success = true;
  std::string userId, subdomain, url;
  std::optional<std::string> streamKey, liveStreamId;
};
BOOST_DESCRIBE_STRUCT(Provisioned, (), (success, userId, subdomain, url, streamKey, liveStreamId))

template <class T>
std::string text_or(std::optional<T> given, std::string otherwise = {}) {
  return given ? std::string(std::move(*given)) : std::move(otherwise);
}

Wanted wanted_by(Deploy body) {
  return {.agent = std::move(body.agentId),
          .name = text_or(std::move(body.name), "agent"),
          .model = text_or(std::move(body.model)),
          .ai_provider = text_or(std::move(body.aiProvider)),
          .plan = std::move(body.plan),
          .config = std::move(body.config).value_or(boost::json::object()),
          .is_deployment = true};
}

Wanted wanted_by(const Provision& body) {
  return {.agent = {},
          .name = text_or(body.name, "agent"),
          .model = text_or(body.model),
          .ai_provider = text_or(body.aiProvider),
          .plan = body.plan,
          .config = body.config.value_or(boost::json::object())};
}

Handled provision(Parts parts, store::UserId user, bool is_admin, Provision body, web::Kind at_limit,
                  agents::Also also = {}) {
  Channels channels{.telegram = std::move(body.telegramToken),
                    .discord = std::move(body.discordToken),
                    .slack = std::move(body.slackToken),
                    .whatsapp = std::move(body.whatsappToken)};
  const auto agent =
      co_await parts.service.provision(user, is_admin, wanted_by(body), std::move(channels), at_limit, std::move(also));
  if (!agent) co_return agent.error();
  const Provisioned answer{.userId = std::to_string(user),
                           .subdomain = agent->subdomain,
                           .url = parts.agents.url(agent->subdomain),
                           .streamKey = {},
                           .liveStreamId = {}};
  co_return web::reply(answer, 200);
}

constexpr auto about_provision =
    "The tokens of messaging channels are kept sealed with the config, in which they show as {\"sealed\": true}. How "
    "many "
    "agents one may have here: solo 1, collective 3, label 10, network unlimited, by the subscription's plan; `plan` "
    "may "
    "name a smaller one. streamKey and liveStreamId are null where no stream is made. The agent comes up afterwards.";

}  // namespace

std::vector<web::Route> web_routes(const Parts& parts) {
  auto make = [parts](Request& request, Provision body) {
    return provision(parts, request.caller.user_id, request.caller.admin, std::move(body), web::Kind::too_many,
                     parts.agents.granted_to(request.caller));
  };
  return {
      {web::POST, "/api/provision", parts.guards.session, &provision_rate,
       web::body<Provision>(make).returns<Provisioned>().describe(about_provision),
       "Provision an agent with messaging channels"},
  };
}

std::vector<web::Route> backend_routes(const Parts& parts) {
  auto make = [parts](Request&, ProvisionFor body) -> Handled {
    const auto user = accounts::parse_user_id(body.userId);
    if (!user) co_return web::invalid("userId must be a user's id");
    if (!parts.agents.is_user(*user)) co_return web::not_found("No such user");
    const bool is_admin = parts.is_admin(*user);
    co_return co_await provision(parts, *user, is_admin, std::move(body), web::Kind::payment_required);
  };
  auto deploy = [parts](Request&, Deploy body) -> Handled {
    const auto user = accounts::parse_user_id(body.userId);
    if (!user) co_return web::invalid("userId must be a user's id");
    const auto deployed = co_await parts.service.deploy(*user, wanted_by(std::move(body)));
    if (!deployed) co_return deployed.error();
    const auto& agent = deployed->agent;
    const DeployedView answer{.id = agent.id,
                              .agentId = agent.id,
                              .userId = std::to_string(*user),
                              .name = agent.name,
                              .status = agent.status,
                              .statusReason = agent.status_reason,
                              .plan = agent.plan,
                              .subdomain = agent.subdomain,
                              .url = parts.agents.url(agent.subdomain),
                              .alreadyActive = deployed->was_active,
                              .createdAt = agent.created_at};
    co_return web::reply(answer, deployed->was_active ? 200 : 201);
  };
  return {
      {web::POST, "/api/deployments", parts.guards.internal_key, &deployment_rate,
       web::body<Deploy>(deploy).returns<DeployedView>(201).describe(
           "For `userId`: the agent `agentId`, or the one of that `name` (agent), is started; when there is none of "
           "that "
           "name one is made within the limit of `plan` (label): label 1, solo 3, collective 10, network 100. 201 when "
           "it was deployed, 200 when it ran already or another request was deploying it: the same asked for many "
           "times "
           "at once makes one. 402 with AGENT_LIMIT_REACHED, current and limit. Answers when it "
           "runs, after 15 seconds at most; its status tells, and statusReason why it does not run."),
       "Deploy an agent"},
      {web::POST, "/api/provision", parts.guards.internal_key, &provision_rate,
       web::body<ProvisionFor>(make).returns<Provisioned>().describe(about_provision),
       "Provision an agent with messaging channels for a user"},
  };
}

}  // namespace deployments
