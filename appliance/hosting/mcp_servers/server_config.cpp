#include "appliance/hosting/mcp_servers/server_config.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url/parse.hpp>

#include "appliance/hosting/agents/config_secrets.h"
#include "web/ascii.h"
#include "web/routes/fields.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_headers = 10, max_secret_bytes = 4'096;

struct ServerMember {
  web::Text<1, 2'000> url;
  std::optional<json::value> token;
  std::optional<json::object> headers;
  std::optional<web::List<web::Text<1, 128>, 0, 100>> tools;
  std::optional<web::Integer<1, longest_timeout.count()>> timeoutSeconds;
  std::optional<bool> enabled;
};
BOOST_DESCRIBE_STRUCT(ServerMember, (), (url, token, headers, tools, timeoutSeconds, enabled))

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
  const auto url = boost::urls::parse_uri(text);
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

ServerConfig config_of(std::string name, ServerMember member) {
  ServerConfig config{.name = std::move(name), .url = std::move(member.url)};
  if (member.token && member.token->is_string()) config.token = member.token->get_string();
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

web::Result<void> check_servers(const json::object& servers) {
  if (servers.size() > max_servers) return web::invalid("config.mcpServers must have at most 8 members");
  for (const auto& [name, value] : servers) {
    const auto at = "config.mcpServers." + std::string(name);
    if (!is_server_name(name))
      return web::invalid(at + ": its name must be 1 to 32 letters, digits, hyphens and underscores");
    const auto member = web::parse_value<ServerMember>(value, at);
    if (!member) return member.error();
    if (const auto good = check_url(member->url, at + ".url"); !good) return good.error();
    if (member->token && !is_header_value(*member->token) && !agents::is_mask(*member->token))
      return web::invalid(at + ".token must be a text of visible ASCII characters");
    if (member->headers)
      if (const auto good = check_headers(*member->headers, at + ".headers"); !good) return good.error();
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
