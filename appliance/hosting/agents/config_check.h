// The part of an agent's config that the box and the agent use. Other members are not checked.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/runtime/agent_profile.h"
#include "store/store.h"
#include "web/routes/fields.h"

namespace agents {

struct ChannelConfig {
  std::optional<bool> enabled;
  std::optional<boost::json::value> botToken;
};
BOOST_DESCRIBE_STRUCT(ChannelConfig, (), (enabled, botToken))

struct KnownConfig {
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> channels;
  std::optional<runtime::Instructions> systemPrompt;
  std::optional<web::NumberBetween<0, 2>> temperature;
  std::optional<web::NumberBetween<0, 1>> topP;
  std::optional<web::Integer<1, 1'000'000>> maxTokens;
  std::optional<web::List<web::Text<1, 64>, 0, 100>> tools;
  std::optional<boost::json::object> mcpServers;  // mcp_servers/server_config.h
};
BOOST_DESCRIBE_STRUCT(KnownConfig, (),
                      (plan, aiProvider, model, channels, systemPrompt, temperature, topP, maxTokens, tools,
                       mcpServers))

// Whether the box has this model.
using KnowsModel = std::function<bool(std::string_view name)>;
// The premium model of the catalogue if a provider serves it to this user, else empty.
using PremiumModel = std::function<std::string(store::UserId)>;

// invalid, naming the field ("config.channels.telegram.enabled"); payment_required for the deprecated plan.
web::Result<KnownConfig> read_config(const boost::json::object&, const KnowsModel&);
// The same for a single provider.
web::Result<void> check_provider(std::string_view name, std::string_view field);
// The same for a single model; an empty name is valid.
web::Result<void> check_model(std::string_view name, std::string_view field, const KnowsModel&);
// The agent's part of its config. Empty for a config that is invalid by now: records may be older than the checks.
runtime::AgentProfile profile_of(const boost::json::object&);

}  // namespace agents
