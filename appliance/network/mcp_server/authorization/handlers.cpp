#include "appliance/network/mcp_server/authorization/handlers.h"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url/parse.hpp>
#include <map>
#include <string_view>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/rate_groups.h"
#include "appliance/identity/oauth/form.h"
#include "web/json.h"
#include "web/uri.h"
#include "web/utf8.h"

namespace mcp_authorization {

namespace {

namespace json = boost::json;
using web::Request;

const web::RateLimit registration_rate{.group = "oauth registration", .limit = 20};
const web::RateLimit token_rate{.group = "oauth tokens", .limit = 60, .limits_guesses = true};

// The form of errors that OAuth's clients read.
web::Response refusal(const web::Error& error) {
  auto response = web::json(json::object{{"error", error.code.empty() ? "invalid_request" : error.code},
                                         {"error_description", error.message}});
  response.status = error.kind == web::Kind::too_many ? 429 : 400;
  response.set("Cache-Control", "no-store");
  return response;
}

web::Answer show_metadata(const Services& services, const Request&) {
  const auto& site = services.site;
  const Metadata answer{.issuer = site.origin(),
                        .authorization_endpoint = site.url("/oauth/authorize"),
                        .token_endpoint = site.url("/oauth/token"),
                        .registration_endpoint = site.url("/oauth/register"),
                        .scopes_supported = {reading, acting},
                        .response_types_supported = {"code"},
                        .grant_types_supported = {"authorization_code", "refresh_token"},
                        .token_endpoint_auth_methods_supported = {"none"},
                        .code_challenge_methods_supported = {"S256"}};
  co_return web::reply(answer, 200);
}

web::Answer register_client(const Services& services, const Request& request) {
  const auto body = web::parse_json(request.body);
  if (!body || !body->is_object()) co_return refusal(web::invalid("The body must be a JSON object"));
  const auto& given = body->get_object();
  Client client{.name = std::string(web::utf8_prefix(web::string_member(given, "client_name"), 100)),
                .redirect_uris = {}};
  if (client.name.empty()) client.name = "A program without a name";
  if (const auto* uris = web::array_member(given, "redirect_uris"))
    for (const auto& uri : *uris) client.redirect_uris.push_back(web::string_or_empty(&uri));
  auto id = services.authorization.register_client(client);
  if (!id) co_return refusal(id.error());
  const Registered answer{
      .client_id = std::move(*id),
      .client_id_issued_at = std::chrono::duration_cast<std::chrono::seconds>(store::now().time_since_epoch()).count(),
      .client_name = std::move(client.name),
      .redirect_uris = std::move(client.redirect_uris),
      .grant_types = {"authorization_code", "refresh_token"},
      .response_types = {"code"},
      .token_endpoint_auth_method = "none"};
  co_return web::reply(answer, 201);
}

// Nothing if a percent sign is not followed by two hex digits.
std::optional<std::string> decoded(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      value += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    const auto byte = crypto::unhex(text.substr(at + 1, 2));
    if (byte.size() != 1) return std::nullopt;
    value += byte;
    at += 2;
  }
  return value;
}

// Nothing if it is no form, or has a name twice.
std::optional<std::map<std::string, std::string>> form_in(const Request& request) {
  if (!request.header("Content-Type").starts_with("application/x-www-form-urlencoded")) return std::nullopt;
  std::map<std::string, std::string> values;
  for (std::string_view rest = request.body; !rest.empty();) {
    const auto piece = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    if (piece.empty()) continue;
    const auto equals = std::min(piece.find('='), piece.size());
    auto name = decoded(piece.substr(0, equals)), value = decoded(piece.substr(std::min(piece.size(), equals + 1)));
    if (!name || !value || !values.emplace(std::move(*name), std::move(*value)).second) return std::nullopt;
  }
  return values;
}

web::Answer give_tokens(const Services& services, const Request& request) {
  auto form = form_in(request);
  if (!form) co_return refusal(web::invalid("The body must be a form without repeated parameters"));
  auto& values = *form;
  const auto kind = values["grant_type"];
  web::Result<TokenSet> given = web::invalid("");
  if (kind == "authorization_code") {
    Authorization::Redemption redemption{.code = values["code"],
                                         .client_id = values["client_id"],
                                         .redirect_uri = values["redirect_uri"],
                                         .verifier = values["code_verifier"],
                                         .resource = values["resource"]};
    given = co_await services.authorization.redeem(std::move(redemption));
  } else if (kind == "refresh_token") {
    given = co_await services.authorization.refresh(values["refresh_token"], values["client_id"]);
  } else {
    web::Error error = web::invalid("grant_type must be authorization_code or refresh_token");
    error.code = "unsupported_grant_type";
    co_return refusal(error);
  }
  if (!given) co_return refusal(given.error());
  const TokenAnswer answer{.access_token = std::move(given->access),
                           .expires_in = token_lifetime.count(),
                           .refresh_token = std::move(given->refresh),
                           .scope = std::move(given->scope)};
  auto response = web::reply(answer, 200);
  response.set("Cache-Control", "no-store");
  co_return response;
}

Wanted wanted_in(const ConsentRequest& body) {
  const auto text = [](const auto& field) { return field ? std::string(*field) : std::string(); };
  return {.client_id = body.clientId,
          .redirect_uri = body.redirectUri,
          .response_type = text(body.responseType),
          .code_challenge = text(body.codeChallenge),
          .code_challenge_method = text(body.codeChallengeMethod),
          .scope = text(body.scope),
          .state = text(body.state),
          .resource = text(body.resource)};
}

web::Answer consent(const Services& services, const Request& request, ConsentRequest body) {
  const auto wanted = wanted_in(body);
  auto checked = services.authorization.check(wanted);
  if (!checked) co_return checked.error();
  const auto address = web::parse_uri(wanted.redirect_uri);
  ConsentAnswer answer{.clientName = checked->client.name,
                       .redirectHost = address ? std::string(address->encoded_host()) : std::string(),
                       .scopes = checked->scopes,
                       .redirect = {}};
  if (!body.decision) co_return web::reply(answer, 200);
  oauth::Parameters query{{"iss", services.site.origin()}};
  if (!wanted.state.empty()) query.emplace_back("state", wanted.state);
  const bool is_allowed = *body.decision == ConsentDecision::allow;
  if (is_allowed) {
    auto code = services.authorization.allow(request.caller.user_id, wanted, *checked);
    if (!code) co_return code.error();
    query.emplace_back("code", std::move(*code));
  } else {
    query.emplace_back("error", "access_denied");
  }
  auto entry = audit::of_request(request, is_allowed ? "MCP client let in" : "MCP client refused",
                                 checked->client.name + " at " + answer.redirectHost);
  co_await services.audit.note(std::move(entry));
  answer.redirect = oauth::with_query(wanted.redirect_uri, query);
  co_return web::reply(answer, 200);
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/.well-known/oauth-authorization-server", guards.none, &registration_rate,
       web::plain(on(show_metadata)).returns<Metadata>(), "How clients of /mcp get tokens"},
      {web::POST, "/oauth/register", guards.none, &registration_rate,
       web::plain(on(register_client))
           .returns<Registered>(201)
           .describe("RFC 7591, for public clients: client_name and up to 10 redirect_uris, https or of the user's own "
                     "machine. The client's id holds them; nothing is stored."),
       "Register as a client of /mcp"},
      {web::POST, "/oauth/token", guards.none, &token_rate,
       web::plain(on(give_tokens))
           .returns<TokenAnswer>()
           .describe("A form with grant_type authorization_code (code, client_id, redirect_uri, code_verifier) or "
                     "refresh_token (refresh_token, client_id). Access tokens last an hour and open /mcp alone; a "
                     "refresh token counts once, and used twice ends the grant. Errors are those of RFC 6749."),
       "Get tokens for /mcp"},
      {web::POST, "/oauth/consent", guards.session, &hosting::actions_rate,
       web::body<ConsentRequest>(on(consent))
           .returns<ConsentAnswer>()
           .describe("What a client that sent the user to /oauth/authorize wants; with `decision`, also where the "
                     "browser goes on. 400 if it must not go there."),
       "Let a client in to /mcp, or not"},
  };
}

}  // namespace mcp_authorization
