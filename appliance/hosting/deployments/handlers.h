#pragma once

#include <boost/json/object.hpp>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/hosting/agents/addresses.h"
#include "appliance/hosting/agents/views.h"
#include "appliance/hosting/deployments/deployments.h"
#include "appliance/hosting/deployments/stream_source.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace deployments {

// What the rows depend on; all of it must outlive them.
struct Services {
  Deployments& deployments;
  const agents::AgentAddresses& addresses;
  const billing::SpendPolicy& spend_policy;
  const StreamSource& stream_source;
};

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

// POST /api/provision on the web; the same and POST /api/deployments on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace deployments
