#include "appliance/network/mcp_server/authorization/authorization.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "appliance/access/issued_keys.h"
#include "appliance/access/records.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"
#include "web/uri.h"

namespace mcp_authorization {

namespace json = boost::json;

namespace {

constexpr std::string_view client_prefix = "mcp_", refresh_prefix = "mr_";
constexpr std::size_t max_uris = 10, max_uri_bytes = 500, max_name_bytes = 100, max_codes = 1'000, secret_length = 43,
                      random_id_length = 20, least_verifier = 43, max_verifier = 128;

web::Error oauth_error(const char* code, std::string message) {
  web::Error error = web::invalid(std::move(message));
  error.code = code;
  return error;
}
web::Error invalid_grant(std::string message) { return oauth_error("invalid_grant", std::move(message)); }

bool is_same(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

// https, or http to the user's own machine, whose port clients choose anew each time (RFC 8252, 7.3).
bool is_loopback(std::string_view uri) {
  const auto url = web::parse_uri(uri);
  if (!url || url->scheme() != "http") return false;
  const std::string host(url->encoded_host());
  return host == "127.0.0.1" || host == "[::1]" || host == "localhost";
}
bool is_redirect_uri(std::string_view uri) {
  const auto url = web::parse_uri(uri);
  if (!url || uri.size() > max_uri_bytes || url->has_fragment() || url->has_userinfo()) return false;
  return (url->scheme() == "https" && !url->host().empty()) || is_loopback(uri);
}

std::string without_port(std::string_view uri) {
  auto url = boost::urls::url(web::parse_uri(uri).value());
  url.remove_port();
  return std::string(url.buffer());
}
// Exactly, but for the port on the user's own machine.
bool is_registered(const Client& client, const std::string& uri) {
  if (std::ranges::count(client.redirect_uris, uri) > 0) return true;
  return is_loopback(uri) && std::ranges::any_of(client.redirect_uris, [&](const std::string& one) {
           return is_loopback(one) && without_port(one) == without_port(uri);
         });
}

}  // namespace

web::Result<std::string> Authorization::register_client(const Client& client) const {
  if (client.redirect_uris.empty() || client.redirect_uris.size() > max_uris)
    return oauth_error("invalid_redirect_uri", "redirect_uris must have 1 to 10 addresses");
  for (const auto& uri : client.redirect_uris)
    if (!is_redirect_uri(uri))
      return oauth_error("invalid_redirect_uri",
                         "redirect_uris must be https addresses, or http ones of the user's own machine");
  if (client.name.size() > max_name_bytes)
    return oauth_error("invalid_client_metadata", "client_name must be at most 100 bytes");
  json::array uris;
  for (const auto& uri : client.redirect_uris) uris.emplace_back(json::string(uri));
  const auto text = json::serialize(json::object{{"n", client.name}, {"u", std::move(uris)}});
  const auto body = crypto::to_base64url(text);
  return std::string(client_prefix) + body + "." + crypto::to_base64url(crypto::hmac_sha256(key_, body));
}

std::optional<Client> Authorization::client(std::string_view id) const {
  const auto dot = id.rfind('.');
  if (!id.starts_with(client_prefix) || dot == id.npos) return std::nullopt;
  const auto body = id.substr(client_prefix.size(), dot - client_prefix.size());
  const auto mac = crypto::from_base64url(id.substr(dot + 1)), text = crypto::from_base64url(body);
  if (!mac || !text || !is_same(*mac, crypto::hmac_sha256(key_, body))) return std::nullopt;
  const auto value = web::parse_json(*text, "client");
  if (!value || !value->is_object()) return std::nullopt;
  Client client{.name = web::string_member(*value, "n"), .redirect_uris = {}};
  if (const auto* uris = web::array_member(value->get_object(), "u"))
    for (const auto& uri : *uris) client.redirect_uris.push_back(web::string_or_empty(&uri));
  return client;
}

web::Result<Checked> Authorization::check(const Wanted& wanted) const {
  auto known = client(wanted.client_id);
  if (!known) return oauth_error("invalid_client", "client_id is unknown: the client has to register again");
  if (!is_registered(*known, wanted.redirect_uri))
    return oauth_error("invalid_request", "redirect_uri is not one that the client has registered");
  if (wanted.response_type != "code") return oauth_error("unsupported_response_type", "response_type must be code");
  if (wanted.code_challenge_method != "S256" || wanted.code_challenge.size() != least_verifier)
    return oauth_error("invalid_request", "code_challenge is required, with the method S256");
  if (!wanted.resource.empty() && wanted.resource != resource_())
    return oauth_error("invalid_target", "resource must be " + resource_());
  Checked checked{.client = std::move(*known), .scopes = {}};
  const auto asked = " " + wanted.scope + " ";
  checked.scopes.emplace_back(reading);
  if (asked.find(std::string(" ") + acting + " ") != asked.npos) checked.scopes.emplace_back(acting);
  return checked;
}

web::Result<std::string> Authorization::allow(store::UserId user, const Wanted& wanted, const Checked& checked) {
  const auto now = std::chrono::steady_clock::now();
  auto code = crypto::random_id(secret_length);
  const std::lock_guard lock(mutex_);
  std::erase_if(codes_, [now](const auto& one) { return one.second.until < now; });
  if (codes_.size() >= max_codes)
    return web::Error{.kind = web::Kind::too_many, .message = "Too many sign-ins are under way. Try again later."};
  codes_[crypto::sha256_hex(code)] = {.user = user,
                                      .wanted = wanted,
                                      .client_name = checked.client.name,
                                      .scope = web::join(checked.scopes, " "),
                                      .until = now + code_lifetime};
  return code;
}

std::vector<std::string> Authorization::tools_of(std::string_view scope) const {
  if (scope.find(acting) != scope.npos) return {"*"};
  return read_tools_;
}

void Authorization::drop(store::Change& change, const store::Row<Grant>& row) const {
  keys::erase(system_, row.value.owner, row.value.key, change);
  change.erase(grants, row);
}

web::Task<web::Result<TokenSet>> Authorization::redeem(Redemption given) {
  std::optional<Code> code;
  {
    const std::lock_guard lock(mutex_);
    const auto found = codes_.find(crypto::sha256_hex(given.code));
    if (found != codes_.end()) {  // it counts once, whatever comes of it
      code = std::move(found->second);
      codes_.erase(found);
    }
  }
  if (!code || code->until < std::chrono::steady_clock::now())
    co_return invalid_grant("The code is unknown or has expired");
  const auto& wanted = code->wanted;
  if (given.client_id != wanted.client_id || given.redirect_uri != wanted.redirect_uri)
    co_return invalid_grant("The code was given to another client or redirect_uri");
  if (!given.resource.empty() && given.resource != resource_())
    co_return oauth_error("invalid_target", "resource must be " + resource_());
  const bool fits = given.verifier.size() >= least_verifier && given.verifier.size() <= max_verifier;
  if (!fits || !is_same(crypto::to_base64url(crypto::sha256(given.verifier)), wanted.code_challenge))
    co_return invalid_grant("code_verifier does not fit the challenge");
  co_return co_await begin(std::move(*code));
}

web::Task<web::Result<TokenSet>> Authorization::begin(Code code) {
  const auto user = system_.get(accounts::users, code.user);
  if (!user || user->value.is_disabled) co_return invalid_grant("The account is closed");
  TokenSet tokens{.access = {}, .refresh = {}, .scope = code.scope};
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto now = store::now();
    const auto tenant = system_.tenant(code.user);
    auto all = tenant.list(grants, store::Page{.limit = max_grants + 1});
    std::ranges::sort(all, {}, &Grant::used_at);
    for (std::size_t at = 0; at < all.size(); ++at) {
      const bool is_over = all[at].expires_at < now || all.size() - at >= max_grants;
      if (const auto row = is_over ? tenant.get(grants, all[at].id) : std::nullopt) drop(change, *row);
    }
    auto key =
        keys::add_for_tools(change, code.user, "MCP: " + code.client_name, now + token_lifetime, tools_of(code.scope));
    Grant grant{.owner = code.user, .id = "mg_" + crypto::random_id(random_id_length)};
    tokens.access = std::move(key.secret);
    tokens.refresh = std::string(refresh_prefix) + std::to_string(code.user) + "." + grant.id + "." +
                     crypto::random_id(secret_length);
    grant.client = crypto::sha256_hex(code.wanted.client_id);
    grant.client_name = code.client_name;
    grant.scope = code.scope;
    grant.refresh = crypto::sha256_hex(tokens.refresh);
    grant.key = key.key.id;
    grant.created_at = grant.used_at = now;
    grant.expires_at = now + grant_lifetime;
    change.insert(grants, grant);
    return web::Result<void>();
  };
  const auto refused = [](const store::Outcome& outcome) -> std::optional<web::Result<void>> {
    if (outcome.kind != store::Outcome::Kind::over_bound) return std::nullopt;
    return web::Result<void>(invalid_grant("The account has too many keys: delete some first"));
  };
  const auto done = co_await store::transact(system_, step, refused);
  if (!done) co_return done.error();
  co_return tokens;
}

web::Task<web::Result<TokenSet>> Authorization::refresh(std::string token, std::string client_id) {
  const auto unknown = invalid_grant("The refresh token is unknown or has expired");
  const auto first = token.find('.'), last = token.rfind('.');
  if (!token.starts_with(refresh_prefix) || first == token.npos || first == last) co_return unknown;
  const auto owner =
      accounts::parse_user_id(std::string_view(token).substr(refresh_prefix.size(), first - refresh_prefix.size()));
  if (!owner) co_return unknown;
  const auto id = token.substr(first + 1, last - first - 1), digest = crypto::sha256_hex(token);
  const auto user = system_.get(accounts::users, *owner);
  const bool is_closed = !user || user->value.is_disabled;
  std::optional<TokenSet> tokens;
  const auto step = [&](store::Change& change) -> bool {
    tokens.reset();
    const auto now = store::now();
    auto row = system_.tenant(*owner).get(grants, id);
    if (!row) return false;
    auto& grant = row->value;
    const bool is_current = is_same(grant.refresh, digest), is_old = is_same(grant.previous, digest);
    if (!is_current && !is_old) return false;
    const bool has_key = system_.tenant(*owner).get(keys::api_keys, grant.key).has_value();
    const bool is_its = is_same(grant.client, crypto::sha256_hex(client_id));
    // A token that was used before has been stolen from one of two; a key that the owner has deleted ends the grant.
    if (is_old || !has_key || is_closed || grant.expires_at < now || !is_its) {
      drop(change, *row);
      return true;
    }
    keys::erase(system_, *owner, grant.key, change);
    auto key =
        keys::add_for_tools(change, *owner, "MCP: " + grant.client_name, now + token_lifetime, tools_of(grant.scope));
    tokens = TokenSet{.access = std::move(key.secret), .refresh = {}, .scope = grant.scope};
    tokens->refresh = token.substr(0, last + 1) + crypto::random_id(secret_length);
    grant.previous = grant.refresh;
    grant.refresh = crypto::sha256_hex(tokens->refresh);
    grant.key = key.key.id;
    grant.used_at = now;
    grant.expires_at = now + grant_lifetime;
    change.update(grants, *row);
    return true;
  };
  const bool is_done = co_await store::transact(system_, step);
  if (!is_done || !tokens) co_return unknown;
  co_return std::move(*tokens);
}

web::Task<> Authorization::forget(store::UserId user) {
  const auto step = [&](store::Change& change) -> bool {
    const auto tenant = system_.tenant(user);
    bool has_any = false;
    for (const auto& grant : tenant.list(grants, store::Page{.limit = 2 * max_grants}))
      if (const auto row = tenant.get(grants, grant.id)) {
        drop(change, *row);
        has_any = true;
      }
    return has_any;
  };
  co_await store::transact(system_, step);
}

}  // namespace mcp_authorization
