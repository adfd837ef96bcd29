#include "appliance/payments/wallets/cdp.h"

#include <boost/json.hpp>
#include <chrono>

#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/random.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace cdp {

namespace json = boost::json;

namespace {

constexpr auto accounts_path = "/v2/evm/accounts";
constexpr std::chrono::seconds token_life{120};
constexpr std::size_t answer_bytes = 1u << 20;

std::optional<crypto::JwtSigner> signer_of(const std::string& key) {
  return key.empty() ? std::nullopt : crypto::JwtSigner::from_text(key);
}

// "POST api.cdp.coinbase.com/platform/v2/evm/accounts": what a token is good for.
std::string request_name(std::string_view url) {
  const auto scheme = url.find("://");
  return "POST " + std::string(scheme == std::string_view::npos ? url : url.substr(scheme + 3)) + accounts_path;
}

json::object times() {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(store::now().time_since_epoch()).count();
  return {{"iat", now}, {"nbf", now}, {"exp", now + token_life.count()}};
}

// A UUID that is the same for each attempt to make this account.
std::string idempotency_key(const std::string& name) {
  auto digits = crypto::sha256_hex("agentbox cdp account " + name).substr(0, 32);
  digits[12] = '4';
  digits[16] = '8';
  for (const std::size_t at : {20, 16, 12, 8}) digits.insert(at, "-");
  return digits;
}

web::Error refused(std::string message) { return {.kind = web::Kind::bad_gateway, .message = std::move(message)}; }

}  // namespace

Cdp::Cdp(store::System system, const agentbox::Settings& settings)
    : system_(std::move(system)),
      url_(settings.cdp_api_url.ends_with('/') ? settings.cdp_api_url.substr(0, settings.cdp_api_url.size() - 1)
                                               : settings.cdp_api_url),
      project_(settings.cdp_project_id),
      key_id_(settings.cdp_api_key_id),
      api_key_(signer_of(settings.cdp_api_key_secret)),
      wallet_key_(signer_of(settings.cdp_wallet_secret)),
      is_begun_(!project_.empty() || !key_id_.empty() || !settings.cdp_api_key_secret.empty()) {}

web::Task<web::Result<Account>> Cdp::obtain(store::UserId user, std::string email) {
  const std::string name = "agentbox-" + std::to_string(user);
  const auto tenant = system_.tenant(user);
  if (auto known = tenant.get(accounts, name)) co_return std::move(known->value);
  auto address = co_await create_at_platform(name);
  if (!address) co_return address.error();
  Account account{
      .owner = user, .id = name, .address = std::move(*address), .email = std::move(email), .created_at = store::now()};
  auto change = tenant.change();
  change.insert(accounts, account);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return account;
  co_return tenant.get(accounts, name).value().value;  // another request was first: it has the same account
}

web::Task<web::Result<std::string>> Cdp::create_at_platform(std::string name) {
  const auto body = json::serialize(json::object{{"name", name}});
  json::array uses{request_name(url_)};
  json::object claims = times();
  claims["sub"] = key_id_;
  claims["iss"] = "cdp";
  claims["uris"] = uses;
  json::object header{{"kid", key_id_}, {"nonce", crypto::random_hex(16)}};
  web::FetchRequest request{.url = url_ + accounts_path, .method = "POST", .body = body};
  request.headers = {{"Content-Type", "application/json"},
                     {"X-Idempotency-Key", idempotency_key(name)},
                     {"Authorization", "Bearer " + api_key_->sign(std::move(header), claims)}};
  if (wallet_key_) {
    json::object sensitive = times();
    sensitive["uris"] = std::move(uses);
    sensitive["jti"] = crypto::random_hex(16);
    sensitive["reqHash"] = crypto::sha256_hex(body);
    request.headers.emplace_back("X-Wallet-Auth", wallet_key_->sign({}, sensitive));
  }
  request.origin.part = "payments";
  request.max_bytes = answer_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return refused(response.error().message);
  const auto answer = web::parse_json(response->body);
  if (!answer) co_return refused("The platform answered no JSON, status " + std::to_string(response->status));
  if (response->status != 200 && response->status != 201) {
    const auto words = web::string_member(*answer, "errorMessage");
    co_return refused("The platform refused it: " + (words.empty() ? std::to_string(response->status) : words));
  }
  const auto address = crypto::EthereumAddress::parse(web::string_member(*answer, "address"));
  if (!address) co_return refused("The platform answered without an address");
  co_return address->checksummed();
}

}  // namespace cdp
