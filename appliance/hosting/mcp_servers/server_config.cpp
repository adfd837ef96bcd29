#include "appliance/hosting/mcp_servers/server_config.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url/parse.hpp>

#include "appliance/hosting/agents/config_secrets.h"
#include "web/ascii.h"
#include "web/routes/fields.h"
#include "web/uri.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_headers = 10, max_secret_bytes = 4'096, max_variables = 50, max_variable_bytes = 4'096;
constexpr std::string_view credential_prefix = "cred:";

struct OauthMember {
  std::optional<web::Text<1, 500>> clientId;
  std::optional<json::value> clientSecret;
  std::optional<web::Text<1, 1'000>> scope;
};
BOOST_DESCRIBE_STRUCT(OauthMember, (), (clientId, clientSecret, scope))

struct ServerMember {
  std::optional<web::Text<1, 2'000>> url;
  std::optional<web::Text<1, 1'000>> command;
  std::optional<web::Text<1, 64>> package;
  std::optional<web::List<web::Verbatim<0, 10'000>, 0, 100>> args;
  std::optional<json::object> env;
  std::optional<json::value> token;
  std::optional<json::object> headers;
  std::optional<OauthMember> oauth;
  std::optional<web::List<web::Text<1, 128>, 0, 100>> tools;
  std::optional<web::Integer<1, longest_timeout.count()>> timeoutSeconds;
  std::optional<bool> enabled;
};
BOOST_DESCRIBE_STRUCT(ServerMember, (),
                      (url, command, package, args, env, token, headers, oauth, tools, timeoutSeconds, enabled))

// What a header may carry; the token is part of one.
bool is_header_value(const json::value& value) {
  const auto* text = value.if_string();
  return text && !text->empty() && text->size() <= max_secret_bytes &&
         std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= 100 &&
         std::ranges::all_of(name, [&](char c) { return web::is_alphanumeric(c) || marks.find(c) != marks.npos; });
}

// Those that this client, HTTP itself or the protocol sets.
bool is_taken(std::string_view name) {
  const auto lower = web::lower_case(name);
  constexpr std::string_view taken[] = {"authorization", "accept",     "connection",       "content-length",
                                        "content-type",  "host",       "last-event-id",    "transfer-encoding",
                                        "expect",        "upgrade",    "accept-encoding",  "te",
                                        "cookie",        "keep-alive", "proxy-connection", "trailer"};
  return std::ranges::find(taken, lower) != std::end(taken) || lower.starts_with("mcp-") || lower.starts_with("proxy-");
}

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= 32 &&
         std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '-' || c == '_'; });
}

web::Result<void> check_url(const std::string& text, const std::string& field) {
  const auto url = web::parse_uri(text);
  if (!url || (url->scheme() != "http" && url->scheme() != "https") || url->host().empty())
    return web::invalid(field + " must be an http or https address");
  if (url->has_userinfo()) return web::invalid(field + " must not have credentials: use token");
  if (url->has_fragment()) return web::invalid(field + " must not have a fragment");
  return {};
}

web::Result<void> check_headers(const json::object& headers, const std::string& at) {
  if (headers.size() > max_headers) return web::invalid(at + " must have at most 10 members");
  for (const auto& [name, value] : headers) {
    const auto field = at + "." + std::string(name);
    if (!is_header_name(name)) return web::invalid(field + " is not the name of a header");
    if (is_taken(name)) return web::invalid(field + " cannot be set; a bearer token goes into token");
    if (!is_header_value(value) && !agents::is_mask(value))
      return web::invalid(field + " must be a text of visible ASCII characters");
  }
  return {};
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, [](char c) { return web::is_alphanumeric(c) || c == '_'; });
}

// Those that the box sets itself, and that say which code every program loads.
bool is_reserved_variable(std::string_view name) {
  constexpr std::string_view reserved[] = {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "home", "tmpdir"};
  return std::ranges::find(reserved, web::lower_case(name)) != std::end(reserved) || name.starts_with("LD_");
}

// A secret is never in the environment of a program: the agent's proxy puts the credential in on the way out.
web::Result<void> check_environment(const json::object& variables, const std::string& at) {
  if (variables.size() > max_variables) return web::invalid(at + " must have at most 50 members");
  for (const auto& [name, value] : variables) {
    const auto field = at + "." + std::string(name);
    if (!is_variable_name(name)) return web::invalid(field + " is not a name of letters, digits and _");
    if (is_reserved_variable(name)) return web::invalid(field + " cannot be set");
    if (agents::is_mask(value)) continue;
    const auto* text = value.if_string();
    if (agents::names_a_secret(name) && (!text || !text->starts_with(credential_prefix)))
      return web::invalid(field + " must be cred: and the name of a credential of this agent: programs get no secrets");
    if (!text || text->size() > max_variable_bytes || text->find('\0') != text->npos)
      return web::invalid(field + " must be text of at most 4,096 bytes");
  }
  return {};
}

web::Result<void> check_program(const ServerMember& member, const std::string& at, const ServerRules& rules) {
  const auto field = at + (member.command ? ".command" : ".package");
  if (member.token || member.headers || member.oauth)
    return web::invalid(at + ": token, headers and oauth are for servers with a url");
  if (member.args)
    for (std::size_t i = 0; i < member.args->size(); ++i)
      if ((*member.args)[i].find('\0') != std::string::npos)
        return web::invalid(at + ".args[" + std::to_string(i) + "] must not hold zero bytes");
  if (member.env)
    if (const auto good = check_environment(*member.env, at + ".env"); !good) return good.error();
  if (rules.why_no_programs)
    if (const auto reason = rules.why_no_programs(); !reason.empty())
      return web::invalid(field + ": agents run no programs on this box: " + reason);
  if (member.package && rules.has_package && !rules.has_package(*member.package))
    return web::invalid(field + " is no package of this box: its administrator loads them (agentbox mcp load)");
  return {};
}

web::Result<void> check_remote(const ServerMember& member, const std::string& at) {
  if (member.args || member.env) return web::invalid(at + ": args and env are for servers with a command or package");
  if (const auto good = check_url(*member.url, at + ".url"); !good) return good.error();
  if (member.token && !is_header_value(*member.token) && !agents::is_mask(*member.token))
    return web::invalid(at + ".token must be a text of visible ASCII characters");
  if (member.token && member.oauth) return web::invalid(at + ".oauth cannot be set with a token");
  if (member.oauth && member.oauth->clientSecret) {
    const auto& secret = *member.oauth->clientSecret;
    if (!member.oauth->clientId) return web::invalid(at + ".oauth.clientId is required with a clientSecret");
    if (!is_header_value(secret) && !agents::is_mask(secret))
      return web::invalid(at + ".oauth.clientSecret must be a text of visible ASCII characters");
  }
  if (member.headers) return check_headers(*member.headers, at + ".headers");
  return {};
}

ServerConfig config_of(std::string name, ServerMember member) {
  ServerConfig config{.name = std::move(name)};
  if (member.url) config.url = std::move(*member.url);
  if (member.command) config.command = std::move(*member.command);
  if (member.package) config.package = std::move(*member.package);
  if (member.args) config.arguments.assign(member.args->begin(), member.args->end());
  if (member.env)
    for (const auto& [variable, value] : *member.env)
      if (value.is_string()) config.environment.emplace_back(variable, value.get_string());
  if (member.token && member.token->is_string()) config.token = member.token->get_string();
  if (member.oauth) {
    if (member.oauth->clientId) config.client_id = *member.oauth->clientId;
    if (member.oauth->scope) config.scope = *member.oauth->scope;
    const auto& secret = member.oauth->clientSecret;
    if (secret && secret->is_string()) config.client_secret = secret->get_string();
  }
  if (member.headers)
    for (const auto& [header, value] : *member.headers)
      if (value.is_string()) config.headers.emplace_back(header, value.get_string());
  if (member.tools) config.tools.assign(member.tools->begin(), member.tools->end());
  if (member.timeoutSeconds) config.timeout = std::chrono::seconds(member.timeoutSeconds->value);
  return config;
}

// Puts the secrets, by JSON pointer, in the place of their masks.
void unmask(json::value& config, const std::string& secrets) {
  if (secrets.empty()) return;
  boost::system::error_code failed;
  const auto values = json::parse(secrets, failed);
  if (failed || !values.is_object()) return;
  for (const auto& [pointer, secret] : values.get_object())
    if (auto* place = config.find_pointer(pointer, failed)) *place = secret;
}

}  // namespace

web::Result<void> check_servers(const json::object& servers, const ServerRules& rules) {
  if (servers.size() > max_servers) return web::invalid("config.mcpServers must have at most 8 members");
  for (const auto& [name, value] : servers) {
    const auto at = "config.mcpServers." + std::string(name);
    if (!is_server_name(name))
      return web::invalid(at + ": its name must be 1 to 32 letters, digits, hyphens and underscores");
    const auto member = web::parse_value<ServerMember>(value, at);
    if (!member) return member.error();
    const int ways = member->url.has_value() + member->command.has_value() + member->package.has_value();
    if (ways == 0) return web::invalid(at + ".url is required, or command, or package");
    if (ways > 1) return web::invalid(at + " must have one of url, command and package");
    const auto good = member->url ? check_remote(*member, at) : check_program(*member, at, rules);
    if (!good) return good.error();
  }
  return {};
}

std::vector<ServerConfig> servers_of(const agents::Agent& agent) {
  std::vector<ServerConfig> configs;
  if (!agent.config.contains("mcpServers")) return configs;
  json::value config = agent.config;
  unmask(config, agent.config_secrets.clear);
  const auto* servers = config.get_object().if_contains("mcpServers");
  if (!servers || !servers->is_object() || !check_servers(servers->get_object())) return configs;
  for (const auto& [name, value] : servers->get_object()) {
    auto member = web::parse_value<ServerMember>(value);
    if (member && member->enabled.value_or(true)) configs.push_back(config_of(name, std::move(*member)));
  }
  return configs;
}

}  // namespace mcp_servers
