// The part of an agent's config that the box and the agent use. new_agent.cpp says which other members are accepted.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/hosting/mcp_servers/server_config.h"
#include "appliance/runtime/agent_profile.h"
#include "store/store.h"
#include "web/routes/fields.h"
#include "web/task.h"

namespace agents {

struct ChannelConfig {
  std::optional<bool> enabled;
  std::optional<boost::json::value> botToken;
};
BOOST_DESCRIBE_STRUCT(ChannelConfig, (), (enabled, botToken))

// See proxy_credentials.h.
struct ProxyCredential {
  web::Text<1, 64> variable, credential;
};
BOOST_DESCRIBE_STRUCT(ProxyCredential, (), (variable, credential))

using ProxyCredentials = web::List<ProxyCredential, 0, 50>;

// A member that is only the agent's has the name of runtime::AgentProfile in camel case: profile_of copies it.
struct KnownConfig {
  std::optional<web::Text<1, 20>> plan;
  std::optional<web::Text<1, 100>> aiProvider;
  std::optional<web::Text<1, 200>> model;
  std::optional<boost::json::object> channels;
  std::optional<runtime::Instructions> systemPrompt;
  std::optional<web::NumberBetween<0, 2>> temperature;
  std::optional<web::NumberBetween<0, 1>> topP;
  std::optional<web::Integer<1, 1'000'000>> maxTokens;
  std::optional<web::Text<1, 20>> reasoningEffort;
  std::optional<web::Integer<1, 200>> maxRounds;
  std::optional<web::Integer<1'000, 100'000'000>> maxTurnTokens;
  std::optional<web::Integer<10, 1'200>> maxTurnSeconds;
  std::optional<web::Text<1, 200>> embeddingModel, helperModel;
  std::optional<web::Integer<1'000, 100'000'000>> maxTokensPerMinute;
  std::optional<web::List<web::Text<1, 64>, 0, 100>> tools;
  std::optional<web::List<web::Text<1, 64>, 0, 100>> peerTools, publicTools;
  std::optional<boost::json::object> mcpServers;  // mcp_servers/server_config.h
  std::optional<ProxyCredentials> proxyCredentials;
};
BOOST_DESCRIBE_STRUCT(KnownConfig, (),
                      (plan, aiProvider, model, channels, systemPrompt, temperature, topP, maxTokens, reasoningEffort,
                       maxRounds, maxTurnTokens, maxTurnSeconds, maxTokensPerMinute, embeddingModel, helperModel, tools,
                       peerTools, publicTools, mcpServers, proxyCredentials))

namespace descriptions {

// Of the API's document.
inline constexpr auto replace_config =
    "Replaces the config. A secret written back as {\"sealed\": true}, as it was read, stays unchanged. Fields that "
    "the box or the agent use are checked: `model` (one of this box's, or auto), `aiProvider` (where the model runs: "
    "auto, openrouter, anthropic, openai, google, local, builtin, or the name of one of this box's further servers), "
    "`webhookUrl` and the `url` of `mcpServers` (not on loopback or private addresses, unless the box allows those), "
    "`plan` (the name of a plan; informational), "
    "`channels` {name: {enabled, botToken}}, `systemPrompt` (instructions to the agent, at most 16,000 characters), "
    "`temperature` (0 to 2), `topP` (0 to 1), `maxTokens` (of one answer of the model), `reasoningEffort` (none, "
    "minimal, low, medium, high, xhigh; for models that reason), `maxRounds` (model calls in a turn, 1 to 200; default "
    "50), `maxTurnTokens` (default 1,000,000) and `maxTurnSeconds` (10 to 1,200; default 1,200), after which the "
    "agent sums up, `maxTokensPerMinute` (default 500,000), beyond which its guard stops the turn, `titles` (whether "
    "the model writes the titles of conversations, with one further call of it each; default: as CONVERSATION_TITLES "
    "of the box says), `embeddingModel` (of /v1/embeddings: finds remembered facts by their meaning), `helperModel` (a "
    "cheaper model for summaries and titles), `tools` (the names of the tools it may use; default: all), `peerTools` "
    "(those of the owner's tools that the agent may use for other users, and `mcp`; default: none), and `publicTools` "
    "(the same for callers whom nobody knows). The change takes effect at the "
    "agent's next start. Images other than the box's "
    "own may ignore these fields. `egress` is where its pages may come from: web (default), none, or a list of host "
    "names (.example.org: all names under example.org); it takes effect at once, for connections of a container at "
    "its next start. `proxyCredentials` [{variable, credential}] gives a container of another image than the box's own "
    "the box's proxy (HTTPS_PROXY), which puts credentials in where they are bound to, and in each `variable` of its "
    "environment cred:NAME of that `credential` (at most 50; an empty list gives the proxy alone).";

}  // namespace descriptions

// What configs of this box may name.
struct ConfigRules {
  using Knows = std::function<bool(std::string_view name)>;
  Knows knows_model = {};      // whether the box has this model; unset: any
  Knows knows_server = {};     // whether it has a further model server of this name; unset: none
  bool allows_private = true;  // webhooks and MCP servers may be on loopback and private addresses
  mcp_servers::ServerRules servers = {};
};
// The premium model of the catalogue if a provider serves it to this user, else empty.
using PremiumModel = std::function<web::Task<std::string>(store::UserId)>;

// invalid, naming the field ("config.channels.telegram.enabled"); payment_required for the deprecated plan.
web::Result<KnownConfig> read_config(const boost::json::object&, const ConfigRules&);
// The same for a single provider.
web::Result<void> check_provider(std::string_view name, std::string_view field, const ConfigRules&);
// The same for a single model; an empty name is valid.
web::Result<void> check_model(std::string_view name, std::string_view field, const ConfigRules&);
// The same for a reasoning effort; empty: the model's.
web::Result<void> check_effort(std::string_view name, std::string_view field);
// The agent's part of its config. Empty for a config that is invalid by now: records may be older than the checks.
runtime::AgentProfile profile_of(const boost::json::object&);

}  // namespace agents
