#include "appliance/hosting/mcp_servers/sign_ins.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/identity/oauth/form.h"
#include "store/transact.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/log.h"
#include "web/routes/fields.h"
#include "web/run_on.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace {

constexpr std::chrono::seconds early{60}, longest_lifetime{365 * 24 * 60 * 60};
constexpr std::size_t secret_bytes = 32, max_token_bytes = 16'384;

std::string id_of(const std::string& agent, const std::string& server) { return agent + "/" + server; }

web::Error sign_in_failure(std::string message) {
  return {.kind = web::Kind::bad_gateway, .message = std::move(message)};
}

std::string random_text() { return crypto::to_base64url(crypto::random_bytes(secret_bytes)); }

}  // namespace

Asking SignIns::asking(store::UserId user, std::string_view id) const {
  return {.reach = reach_,
          .origin = {.part = "tool servers", .user = user, .agent = std::string(id.substr(0, id.find('/')))}};
}

std::optional<store::Row<SignIn>> SignIns::find(store::UserId user, const std::string& agent,
                                                const ServerConfig& config) const {
  auto row = system_.tenant(user).get(sign_ins, mcp_servers::id_of(agent, config.name));
  if (!row || row->value.url != config.url) return std::nullopt;  // a token is for the server that it was given for
  return row;
}

web::Task<web::Result<std::string>> SignIns::begin(store::UserId user, std::string agent, ServerConfig config) {
  const auto id = mcp_servers::id_of(agent, config.name);
  const auto redirect_uri = redirect_uri_();
  const auto authority = co_await find_authority(config.url, asking(user, id));
  if (!authority) co_return authority.error();
  SignIn next{.owner = user, .id = id, .url = config.url};
  next.resource = authority->resource;
  next.issuer = authority->issuer;
  next.authorization_endpoint = authority->authorization_endpoint;
  next.token_endpoint = authority->token_endpoint;
  next.revocation_endpoint = authority->revocation_endpoint;
  next.scope = config.scope.empty() ? authority->scope : config.scope;
  next.names_issuer = authority->names_issuer;
  next.takes_basic = authority->takes_basic;
  next.redirect_uri = redirect_uri;
  const auto before = system_.tenant(user).get(sign_ins, id);
  if (!config.client_id.empty()) {
    next.client_id = config.client_id;
    next.client_secret.clear = config.client_secret;
  } else if (before && before->value.is_registered && before->value.issuer == next.issuer &&
             before->value.redirect_uri == redirect_uri) {
    next.client_id = before->value.client_id;
    next.client_secret = before->value.client_secret;
    next.is_registered = true;
  } else {
    auto client = co_await register_client(*authority, redirect_uri, asking(user, id));
    if (!client) co_return client.error();
    next.client_id = std::move(client->id);
    next.client_secret.clear = std::move(client->secret);
    next.is_registered = true;
  }
  const auto state = random_text();
  next.state = crypto::sha256_hex(state);
  next.verifier.clear = random_text();
  next.began_at = store::now();
  if (before && before->value.url == next.url && before->value.issuer == next.issuer) {  // until there are new ones
    next.access = before->value.access;
    next.refresh = before->value.refresh;
    next.signed_in_at = before->value.signed_in_at;
    next.expires_at = before->value.expires_at;
  }
  oauth::Parameters query{{"response_type", "code"},
                          {"client_id", next.client_id},
                          {"redirect_uri", redirect_uri},
                          {"state", state},
                          {"code_challenge", crypto::to_base64url(crypto::sha256(next.verifier.clear))},
                          {"code_challenge_method", "S256"},
                          {"resource", next.resource}};
  if (!next.scope.empty()) query.emplace_back("scope", next.scope);
  auto address = oauth::with_query(next.authorization_endpoint, query);
  const auto step = [&](store::Change& change) -> bool {
    store::put(change, system_.tenant(user), sign_ins, next);
    return true;
  };
  co_await store::transact(system_.tenant(user), step);
  co_return address;
}

std::string SignIns::id_of(store::UserId user, const std::string& state) const {
  const auto row = system_.find_unique(sign_ins, "state", crypto::sha256_hex(state));
  return row && row->value.owner == user ? row->value.id : std::string();
}

web::Task<web::Result<SignIn>> SignIns::finish(store::UserId user, Callback callback) {
  const auto row = system_.find_unique(sign_ins, "state", crypto::sha256_hex(callback.state));
  if (callback.state.empty() || !row || row->value.owner != user)
    co_return web::invalid("This sign-in is unknown: begin again");
  // A state counts once, whatever comes of it.
  std::optional<SignIn> taken;
  const auto take = [&](SignIn& stored) {
    taken.reset();
    if (stored.state != row->value.state) return;
    taken = stored;
    stored.state.reset();
    stored.verifier = {};
  };
  co_await system_.modify(sign_ins, user, row->value.id, take);
  if (!taken) co_return web::invalid("This sign-in is unknown: begin again");
  auto sign_in = std::move(*taken);
  if (store::now() - sign_in.began_at > sign_in_lifetime)
    co_return web::invalid("This sign-in took longer than ten minutes: begin again");
  // A code of another server, which would get this one's token (mix-up).
  if (callback.issuer.empty() ? sign_in.names_issuer : callback.issuer != sign_in.issuer)
    co_return web::invalid("The answer is not of " + sign_in.issuer + ", where the sign-in began");
  if (!callback.error.empty() || callback.code.empty())
    co_return sign_in_failure(sign_in.issuer + " refused: " +
                              std::string(web::utf8_prefix(callback.error.empty() ? "no code" : callback.error, 100)));
  const oauth::Parameters exchange{{"grant_type", "authorization_code"},
                                   {"code", callback.code},
                                   {"redirect_uri", sign_in.redirect_uri},
                                   {"code_verifier", sign_in.verifier.clear}};
  const auto got = co_await request_tokens(sign_in, exchange);
  if (!got) co_return got.error();
  sign_in.signed_in_at = store::now();
  const auto keep = [&](SignIn& stored) {
    stored.access = sign_in.access;
    stored.refresh = sign_in.refresh;
    stored.expires_at = sign_in.expires_at;
    stored.signed_in_at = sign_in.signed_in_at;
  };
  co_await system_.modify(sign_ins, user, sign_in.id, keep);
  co_return sign_in;
}

web::Task<web::Result<void>> SignIns::request_tokens(SignIn& sign_in, oauth::Parameters parameters) const {
  web::FetchRequest request{.url = sign_in.token_endpoint, .method = "POST"};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  const auto& secret = sign_in.client_secret.clear;
  if (!secret.empty() && sign_in.takes_basic) {
    const auto pair = oauth::encoded(sign_in.client_id) + ":" + oauth::encoded(secret);
    request.headers.emplace_back("Authorization", "Basic " + crypto::to_base64(pair));
  } else {
    parameters.emplace_back("client_id", sign_in.client_id);
    if (!secret.empty()) parameters.emplace_back("client_secret", secret);
  }
  parameters.emplace_back("resource", sign_in.resource);
  request.body = oauth::form(parameters);
  const auto how = asking(sign_in.owner, sign_in.id);
  request.reach = how.reach;
  request.origin = how.origin;
  request.max_bytes = max_token_bytes * 4;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return sign_in_failure(sign_in.issuer + " did not answer: " + response.error().message);
  const auto value = web::parse_json(response->body, "answer");
  auto access = value ? web::string_member(*value, "access_token") : std::string();
  if (response->status != 200 || access.empty() || access.size() > max_token_bytes ||
      web::lower_case(web::string_member(*value, "token_type")) != "bearer") {
    const auto reason = value ? web::string_member(*value, "error") : std::string();
    web::Error refused = sign_in_failure(sign_in.issuer + " gave no token: status " + std::to_string(response->status) +
                                         (reason.empty() ? "" : ", " + std::string(web::utf8_prefix(reason, 100))));
    if (reason == "invalid_grant") refused.kind = web::Kind::conflict;
    co_return refused;
  }
  sign_in.access.clear = std::move(access);
  if (auto refresh = web::string_member(*value, "refresh_token"); !refresh.empty())
    sign_in.refresh.clear = std::move(refresh);
  sign_in.expires_at.reset();
  if (const auto* seconds = value->get_object().if_contains("expires_in"); seconds && seconds->is_int64())
    sign_in.expires_at = store::now() + std::clamp(std::chrono::seconds(seconds->get_int64()), early, longest_lifetime);
  co_return web::Result<void>();
}

bool SignIns::has_token(store::UserId user, const std::string& agent, const ServerConfig& config) const {
  const auto row = find(user, agent, config);
  return row && !row->value.access.clear.empty();
}

web::Task<std::string> SignIns::token(store::UserId user, std::string agent, ServerConfig config, std::string refused) {
  const auto row = find(user, agent, config);
  if (!row || row->value.access.clear.empty()) co_return std::string();
  const auto& known = row->value;
  const bool is_over = known.expires_at && *known.expires_at - early < store::now();
  if (!is_over && known.access.clear != refused) co_return known.access.clear;
  if (known.refresh.clear.empty()) co_return refused.empty() ? known.access.clear : std::string();
  co_return co_await web::run_on(home_, renewed(user, known.id, known.access.clear));
}

// One renewal at a time: a refresh token counts once.
web::Task<std::string> SignIns::renewed(store::UserId user, std::string id, std::string refused) {
  if (const auto other = renewing_.find(id); other != renewing_.end()) {
    const auto done = other->second;
    boost::system::error_code woken;
    co_await done->async_wait(boost::asio::redirect_error(web::use_task, woken));
    const auto row = system_.tenant(user).get(sign_ins, id);
    co_return row && row->value.access.clear != refused ? row->value.access.clear : std::string();
  }
  const auto done = std::make_shared<web::Timer>(home_.get_executor(), web::Timer::time_point::max());
  renewing_[id] = done;
  const std::shared_ptr<void> ends(nullptr, [this, id, done](void*) {
    renewing_.erase(id);
    done->cancel();
  });
  co_return co_await renew(user, id, std::move(refused));
}

web::Task<std::string> SignIns::renew(store::UserId user, std::string id, std::string refused) {
  const auto row = system_.tenant(user).get(sign_ins, id);
  if (!row) co_return std::string();
  auto sign_in = row->value;
  if (sign_in.access.clear != refused) co_return sign_in.access.clear;  // renewed meanwhile
  const oauth::Parameters exchange{{"grant_type", "refresh_token"}, {"refresh_token", sign_in.refresh.clear}};
  const auto renewed = co_await request_tokens(sign_in, exchange);
  if (!renewed) web::log::warning("mcp_token_not_renewed", {{"server", id}, {"reason", renewed.error().message}});
  if (!renewed && renewed.error().kind != web::Kind::conflict) co_return std::string();  // it may work later
  const auto keep = [&](SignIn& stored) {
    if (stored.access.clear != refused) return;
    stored.access = renewed ? sign_in.access : store::Sealed();
    stored.refresh = renewed ? sign_in.refresh : store::Sealed();
    stored.expires_at = sign_in.expires_at;
    if (!renewed) stored.signed_in_at.reset();
  };
  co_await system_.modify(sign_ins, user, id, keep);
  co_return renewed ? sign_in.access.clear : std::string();
}

web::Task<> SignIns::end(store::UserId user, std::string agent, std::string server) {
  const auto id = mcp_servers::id_of(agent, server);
  const auto row = system_.tenant(user).get(sign_ins, id);
  if (!row) co_return;
  auto change = system_.tenant(user).change();
  change.erase(sign_ins, *row);
  co_await change.commit();
  const auto& gone = row->value;
  if (gone.revocation_endpoint.empty() || gone.access.clear.empty()) co_return;
  web::FetchRequest request{.url = gone.revocation_endpoint, .method = "POST"};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = oauth::form(
      {{"token", gone.refresh.clear.empty() ? gone.access.clear : gone.refresh.clear}, {"client_id", gone.client_id}});
  const auto how = asking(user, id);
  request.reach = how.reach;
  request.origin = how.origin;
  co_await web::fetch(std::move(request));  // the box has forgotten it in any case
}

web::Task<> SignIns::forget(store::UserId user, std::string agent) {
  std::vector<std::string> servers;
  for (const auto& one : system_.tenant(user).list(sign_ins, store::Page{.limit = 10'000}))
    if (one.id.starts_with(agent + "/")) servers.push_back(one.id.substr(agent.size() + 1));
  for (auto& server : servers) co_await end(user, agent, std::move(server));
}

}  // namespace mcp_servers
