#include "appliance/hosting/mcp_servers/discovery.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url/parse.hpp>

#include "appliance/hosting/mcp_servers/wire.h"
#include "appliance/identity/site.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"
#include "web/uri.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace json = boost::json;

namespace {

constexpr std::size_t max_document_bytes = 256u << 10;
constexpr std::chrono::seconds ask_time{10};

web::Error failure(std::string message) { return {.kind = web::Kind::bad_gateway, .message = std::move(message)}; }

std::string path_of(std::string_view url) {
  const auto parsed = web::parse_uri(url);
  if (!parsed) return {};
  std::string path(parsed->encoded_path());
  while (path.ends_with('/')) path.pop_back();
  return path;
}

web::FetchRequest request_to(std::string url, const Asking& asking) {
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"Accept", "application/json"}};
  request.reach = asking.reach;
  request.origin = asking.origin;
  request.timeout = ask_time;
  request.max_bytes = max_document_bytes;
  return request;
}

// Nothing: there is no such document. An error: it cannot be asked.
web::Task<web::Result<std::optional<json::object>>> get_document(std::string url, Asking asking) {
  auto request = request_to(url, asking);
  request.headers.emplace_back("MCP-Protocol-Version", std::string(session_version));
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failure(url + " did not answer: " + response.error().message);
  if (response->status != 200) co_return std::optional<json::object>();
  auto value = web::parse_json(response->body, "document");
  if (!value || !value->is_object()) co_return std::optional<json::object>();
  co_return std::optional(std::move(value->get_object()));
}

// The first of these that there is.
web::Task<web::Result<std::optional<json::object>>> first_document(std::vector<std::string> urls, Asking asking) {
  for (auto& url : urls) {
    auto document = co_await get_document(std::move(url), asking);
    if (!document || *document) co_return document;
  }
  co_return std::optional<json::object>();
}

// Whether codes and tokens may travel to it: https, unless the box may reach private addresses.
bool is_endpoint(std::string_view url, const Asking& asking) {
  if (agentbox::origin_of(url).empty() || url.find('#') != url.npos) return false;
  return url.starts_with("https://") || asking.reach == web::Reach::configured;
}

bool lists(const json::object& document, std::string_view member, std::string_view value) {
  const auto* list = web::array_member(document, member);
  return list && std::ranges::any_of(
                     *list, [&](const json::value& one) { return one.is_string() && one.get_string() == value; });
}

std::string scopes_of(const json::array& list) {
  std::string text;
  for (const auto& one : list)
    if (one.is_string()) text += (text.empty() ? "" : " ") + std::string(one.get_string());
  return text;
}

// What the server says to a caller without a token.
struct Challenge {
  int status = 0;
  std::string header;
};
web::Task<web::Result<Challenge>> challenge_of(std::string url, Asking asking) {
  auto request = request_to(url, asking);
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  const Call initialize{.method = "initialize",
                        .params = {{"protocolVersion", session_version},
                                   {"capabilities", client_capabilities()},
                                   {"clientInfo", client_info()}}};
  request.body = json::serialize(message_of({.has_session = true}, initialize, 1, false));
  Challenge challenge;
  request.on_head = [&](int status, const web::FetchHeaders& headers) {
    challenge.status = status;
    for (const auto& [name, value] : headers)
      if (name == "www-authenticate" && !challenge_parameter(value, "resource_metadata").empty())
        challenge.header = value;
      else if (name == "www-authenticate" && challenge.header.empty())
        challenge.header = value;
    return false;
  };
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failure("The server did not answer: " + response.error().message);
  co_return challenge;
}

// Servers of 2025-03-26 have no metadata of their own: they sign users in themselves.
web::Task<web::Result<Authority>> authority_at(std::string issuer, Asking asking) {
  if (!is_endpoint(issuer, asking)) co_return failure("The server names no https address that signs users in.");
  const auto document = co_await first_document(issuer_metadata_urls(issuer), asking);
  if (!document) co_return document.error();
  if (!*document) co_return failure(issuer + " does not say how it signs users in (no metadata of RFC 8414).");
  const auto& found = **document;
  if (web::string_member(found, "issuer") != issuer)
    co_return failure("The metadata of " + issuer + " names another issuer: " +
                      std::string(web::utf8_prefix(web::string_member(found, "issuer"), 200)));
  Authority authority{.issuer = issuer,
                      .authorization_endpoint = web::string_member(found, "authorization_endpoint"),
                      .token_endpoint = web::string_member(found, "token_endpoint"),
                      .registration_endpoint = web::string_member(found, "registration_endpoint"),
                      .revocation_endpoint = web::string_member(found, "revocation_endpoint")};
  for (const auto* endpoint : {&authority.authorization_endpoint, &authority.token_endpoint})
    if (!is_endpoint(*endpoint, asking)) co_return failure(issuer + " names no https endpoints.");
  if (!lists(found, "code_challenge_methods_supported", "S256"))
    co_return failure(issuer + " does not support PKCE with S256, without which codes could be stolen.");
  const auto* named = found.if_contains("authorization_response_iss_parameter_supported");
  authority.names_issuer = named && named->is_bool() && named->get_bool();
  authority.takes_basic = !found.contains("token_endpoint_auth_methods_supported") ||
                          lists(found, "token_endpoint_auth_methods_supported", "client_secret_basic");
  co_return authority;
}

}  // namespace

std::string challenge_parameter(std::string_view header, std::string_view name) {
  // A scheme, then name="value" or name=value, separated by spaces and commas.
  const auto end_of = [&](const char* separators, std::size_t from) {
    return std::min(header.find_first_of(separators, from), header.size());
  };
  for (std::size_t at = 0; at < header.size();) {
    const auto begin = at;
    at = end_of("=\", \t", begin);
    const auto word = header.substr(begin, at - begin);
    if (at == header.size() || header[at] != '=') {
      ++at;
      continue;
    }
    std::string value;
    if (++at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      ++at;
    } else {
      const auto end = end_of(", \t", at);
      value = header.substr(at, end - at);
      at = end;
    }
    if (word == name && begin > 0) return value;
  }
  return {};
}

std::vector<std::string> resource_metadata_urls(std::string_view url) {
  const auto origin = agentbox::origin_of(url);
  if (origin.empty()) return {};
  const auto base = origin + "/.well-known/oauth-protected-resource", path = path_of(url);
  if (path.empty()) return {base};
  return {base + path, base};
}

std::vector<std::string> issuer_metadata_urls(std::string_view issuer) {
  const auto origin = agentbox::origin_of(issuer);
  if (origin.empty()) return {};
  const auto path = path_of(issuer);
  std::vector<std::string> urls{origin + "/.well-known/oauth-authorization-server" + path,
                                origin + "/.well-known/openid-configuration" + path};
  if (!path.empty()) urls.push_back(origin + path + "/.well-known/openid-configuration");
  return urls;
}

bool covers(std::string_view resource, std::string_view url) {
  const auto origin = agentbox::origin_of(resource);
  if (origin.empty() || origin != agentbox::origin_of(url)) return false;
  const auto above = path_of(resource), below = path_of(url);
  return below == above || below.starts_with(above + "/");
}

web::Task<web::Result<Authority>> find_authority(std::string url, Asking asking) {
  const auto challenge = co_await challenge_of(url, asking);
  if (!challenge) co_return challenge.error();
  if (challenge->status != 401)
    co_return web::conflict("The server asks nobody to sign in: it answered with status " +
                            std::to_string(challenge->status) + ".");
  auto places = resource_metadata_urls(url);
  // A place on another host would let the server choose what the box fetches for it; tokens are safe either way.
  if (auto named = challenge_parameter(challenge->header, "resource_metadata"); is_endpoint(named, asking))
    places = {std::move(named)};
  const auto document = co_await first_document(std::move(places), asking);
  if (!document) co_return document.error();
  std::string issuer = agentbox::origin_of(url), resource = url;
  if (*document) {
    resource = web::string_member(**document, "resource");
    if (!covers(resource, url))
      co_return failure("The server's metadata is about another resource: " +
                        std::string(web::utf8_prefix(resource, 200)));
    const auto* servers = web::array_member(**document, "authorization_servers");
    if (servers && !servers->empty()) issuer = web::string_or_empty(&servers->front());
  }
  auto authority = co_await authority_at(std::move(issuer), asking);
  if (!authority) co_return authority.error();
  authority->resource = std::move(resource);
  authority->scope = challenge_parameter(challenge->header, "scope");
  if (const auto* scopes = *document ? web::array_member(**document, "scopes_supported") : nullptr;
      scopes && authority->scope.empty())
    authority->scope = scopes_of(*scopes);
  co_return authority;
}

web::Task<web::Result<RegisteredClient>> register_client(const Authority& authority, std::string redirect_uri,
                                                         Asking asking) {
  const auto issuer = authority.issuer;
  if (!is_endpoint(authority.registration_endpoint, asking))
    co_return failure(issuer + " registers no clients by itself: set oauth.clientId of the server in the config");
  auto request = request_to(authority.registration_endpoint, asking);
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/json");
  const json::object wanted{{"client_name", "agentbox"},
                            {"redirect_uris", {redirect_uri}},
                            {"grant_types", {"authorization_code", "refresh_token"}},
                            {"response_types", {"code"}},
                            {"token_endpoint_auth_method", "none"},
                            {"application_type", "web"}};
  request.body = json::serialize(wanted);
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return failure(issuer + " did not answer: " + response.error().message);
  const auto value = web::parse_json(response->body, "answer");
  RegisteredClient client;
  if (value && response->status < 300)
    client = {.id = web::string_member(*value, "client_id"), .secret = web::string_member(*value, "client_secret")};
  if (client.id.empty()) {
    const auto reason = value ? web::string_member(*value, "error_description") : std::string();
    co_return failure(issuer + " did not register the box as a client: status " + std::to_string(response->status) +
                      (reason.empty() ? "" : ", " + std::string(web::utf8_prefix(reason, 200))));
  }
  co_return client;
}

}  // namespace mcp_servers
