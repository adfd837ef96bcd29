#include "appliance/hosting/agents/config_check.h"

#include <algorithm>
#include <boost/describe.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>
#include <type_traits>

#include "appliance/agent/tools/names.h"
#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/hosting/agents/bus_config.h"
#include "appliance/hosting/agents/config_secrets.h"
#include "appliance/hosting/agents/egress.h"
#include "appliance/hosting/agents/proxy_credentials.h"
#include "appliance/hosting/mcp_servers/server_config.h"
#include "web/ascii.h"
#include "web/client/fetch_url.h"
#include "web/json.h"
#include "web/routes/free_form.h"

namespace agents {

namespace {

// auto: the box chooses.
constexpr std::string_view providers[] = {"auto", "openrouter", "anthropic", "openai", "google", "local", "builtin"};
constexpr std::string_view efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh"};
constexpr std::string_view any_model[] = {"auto", "custom"};

// A new token, or the mask of a stored one.
bool is_token(const boost::json::value& value) {
  return (value.is_string() && !value.get_string().empty()) || is_mask(value);
}

template <class Names>
std::string enumerated(const Names& names) {
  std::string text;
  for (const auto name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

template <class Names>
bool is_among(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

web::Result<void> check_channels(const boost::json::object& channels) {
  for (const auto& [name, value] : channels) {
    const auto at = "config.channels." + std::string(name);
    const auto channel = web::parse_value<ChannelConfig>(value, at);
    if (!channel) return channel.error();
    if (channel->botToken && !is_token(*channel->botToken)) return web::invalid(at + ".botToken must be a text");
  }
  return {};
}

// Names are looked up when they are used, where the same rule applies to their addresses.
web::Result<void> check_reach(const std::string& text, const std::string& field, const ConfigRules& rules) {
  if (rules.allows_private || text.empty()) return {};
  const auto url = web::parse_fetch_url(text);
  if (!url || !web::is_private_host(*url)) return {};
  return web::invalid(field + " must not be a loopback or private address: this box does not connect to those");
}

// Whether a member of AgentProfile (max_tokens) and one of KnownConfig (maxTokens) have the same name.
constexpr bool is_same_name(std::string_view in_profile, std::string_view in_config) {
  std::size_t at = 0;
  bool begins_word = false;
  for (const char letter : in_profile) {
    if (letter == '_') {
      begins_word = true;
      continue;
    }
    if (at == in_config.size() || web::to_lower(in_config[at]) != letter) return false;
    if ((in_config[at] != letter) != begins_word) return false;
    begins_word = false;
    ++at;
  }
  return at == in_config.size();
}
static_assert(is_same_name("max_turn_tokens", "maxTurnTokens") && !is_same_name("max_tokens", "maxTokensPerMinute"));

template <class From, class To>
void take(std::optional<From>& from, std::optional<To>& to) {
  if (!from) return;
  if constexpr (std::is_same_v<To, std::vector<std::string>>)
    to.emplace(from->begin(), from->end());
  else
    to = std::move(*from);
}

}  // namespace

web::Result<void> check_provider(std::string_view name, std::string_view field, const ConfigRules& rules) {
  if (is_among(name, providers) || (rules.knows_server && rules.knows_server(name))) return {};
  return web::invalid(std::string(field) + " must be one of: " + enumerated(providers) +
                      ", or the name of one of this box's model servers");
}

web::Result<void> check_model(std::string_view name, std::string_view field, const ConfigRules& rules) {
  if (name.empty() || is_among(name, any_model) || !rules.knows_model || rules.knows_model(name)) return {};
  return web::invalid(std::string(field) + " must be one of this box's models, or auto");
}

web::Result<void> check_effort(std::string_view name, std::string_view field) {
  if (name.empty() || is_among(name, efforts)) return {};
  return web::invalid(std::string(field) + " must be one of: " + enumerated(efforts));
}

web::Result<KnownConfig> read_config(const boost::json::object& config, const ConfigRules& rules) {
  if (const auto kept = web::check_free_form(config, "config"); !kept) return kept.error();
  auto known = web::parse_value<KnownConfig>(boost::json::value(config), "config");
  if (!known) return known;
  if (known->plan)
    if (const auto plan = billing::plan_of_request(*known->plan, "config.plan"); !plan) return plan.error();
  if (known->aiProvider)
    if (const auto good = check_provider(*known->aiProvider, "config.aiProvider", rules); !good) return good.error();
  if (known->model)
    if (const auto good = check_model(*known->model, "config.model", rules); !good) return good.error();
  if (known->reasoningEffort)
    if (const auto good = check_effort(*known->reasoningEffort, "config.reasoningEffort"); !good) return good.error();
  if (known->channels)
    if (const auto good = check_channels(*known->channels); !good) return good.error();
  const auto bus = read_bus_config(config);
  if (!bus) return bus.error();
  if (const auto good = check_reach(bus->webhook_url, "config.webhookUrl", rules); !good) return good.error();
  if (const auto egress = read_egress(config); !egress) return egress.error();
  if (known->tools)
    for (std::size_t i = 0; i < known->tools->size(); ++i)
      if (!is_among((*known->tools)[i], agent_process::tool_names))
        return web::invalid("config.tools[" + std::to_string(i) +
                            "] must be one of: " + enumerated(agent_process::tool_names));
  for (const auto& [list, field] :
       {std::pair(&known->peerTools, "config.peerTools["), std::pair(&known->publicTools, "config.publicTools[")})
    for (std::size_t i = 0; *list && i < (*list)->size(); ++i)
      if (const auto& name = (**list)[i]; name != runtime::mcp_tools_name && !is_among(name, agent_process::tool_names))
        return web::invalid(field + std::to_string(i) +
                            "] must be mcp or one of: " + enumerated(agent_process::tool_names));
  if (known->helperModel)
    if (const auto good = check_model(*known->helperModel, "config.helperModel", rules); !good) return good.error();
  if (known->proxyCredentials)
    if (const auto good = check_proxy_credentials(*known->proxyCredentials); !good) return good.error();
  if (known->mcpServers) {
    if (const auto good = mcp_servers::check_servers(*known->mcpServers, rules.servers); !good) return good.error();
    for (const auto& [name, server] : *known->mcpServers) {
      const auto at = "config.mcpServers." + std::string(name) + ".url";
      const auto url = web::string_member(server.get_object(), "url");
      if (url.empty()) continue;  // a program
      if (const auto good = check_reach(url, at, rules); !good) return good.error();
    }
  }
  return known;
}

runtime::AgentProfile profile_of(const boost::json::object& config) {
  using boost::describe::describe_members;
  runtime::AgentProfile profile;
  auto known = read_config(config, {});
  if (!known) return profile;
  if (known->systemPrompt) profile.instructions = std::move(*known->systemPrompt);
  boost::mp11::mp_for_each<describe_members<runtime::AgentProfile, boost::describe::mod_public>>([&](auto member) {
    boost::mp11::mp_for_each<describe_members<KnownConfig, boost::describe::mod_public>>([&](auto named) {
      if constexpr (is_same_name(decltype(member)::name, decltype(named)::name))
        take(*known.*decltype(named)::pointer, profile.*decltype(member)::pointer);
    });
  });
  return profile;
}

}  // namespace agents
