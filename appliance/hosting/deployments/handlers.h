#pragma once

#include <boost/json/object.hpp>

#include "appliance/hosting/agents/views.h"
#include "appliance/hosting/deployments/routes.h"
#include "web/routes/endpoint.h"

namespace deployments {

struct DeployRequest {
  web::Text<1, 20> userId;
  std::optional<web::Text<1, 128>> agentId;
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
};
BOOST_DESCRIBE_STRUCT(DeployRequest, (), (userId, agentId, name, plan, aiProvider, model, config))

struct DeployAnswer : agents::AgentCore {
  bool success = true;
  std::string agentId, userId, name, statusReason, plan, subdomain, url;
  bool alreadyActive = false;
  store::Time createdAt;
};
BOOST_DESCRIBE_STRUCT(DeployAnswer, (agents::AgentCore),
                      (success, agentId, userId, name, statusReason, plan, subdomain, url, alreadyActive, createdAt))

using ChannelToken = std::optional<web::Text<1, 512>>;

struct ProvisionRequest {
  std::optional<web::Text<1, 100>> name;
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> config;
  ChannelToken telegramToken, discordToken, slackToken, whatsappToken;
};
BOOST_DESCRIBE_STRUCT(ProvisionRequest, (),
                      (name, plan, aiProvider, model, config, telegramToken, discordToken, slackToken, whatsappToken))

struct BackendProvisionRequest : ProvisionRequest {
  web::Text<1, 20> userId;
};
BOOST_DESCRIBE_STRUCT(BackendProvisionRequest, (ProvisionRequest), (userId))

struct ProvisionAnswer {
  bool success = true;
  std::string userId, subdomain, url;
  std::optional<std::string> streamKey, liveStreamId;
};
BOOST_DESCRIBE_STRUCT(ProvisionAnswer, (), (success, userId, subdomain, url, streamKey, liveStreamId))

web::Answer deploy(const Services&, const web::Request&, DeployRequest);
web::Answer provision(const Services&, const web::Request&, ProvisionRequest);
web::Answer provision_for_user(const Services&, const web::Request&, BackendProvisionRequest);

}  // namespace deployments
