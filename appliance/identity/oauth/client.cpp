#include "appliance/identity/oauth/client.h"

#include "appliance/foundation/crypto/base64.h"
#include "appliance/identity/oauth/form.h"
#include "web/ascii.h"
#include "web/client/fetch.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace oauth {

namespace {

constexpr std::size_t max_bytes = 1u << 20;
constexpr const char* asking_part = "sign-in";

web::Error bad_answer(std::string detail) {
  return {
      .kind = web::Kind::bad_gateway, .message = "The sign-in provider did not answer", .detail = std::move(detail)};
}

// Of a Content-Type header.
std::string media_type(std::string_view type) {
  auto name = web::lower_case(type.substr(0, type.find(';')));
  while (name.ends_with(' ') || name.ends_with('\t')) name.pop_back();
  return name;
}

// RFC 6749, 2.3.1: both halves are form-encoded before they are joined.
std::string basic(const Client& client) {
  const std::string pair = encoded(client.id) + ":" + encoded(client.secret);
  return "Basic " + crypto::to_base64(pair);
}

web::Task<web::Result<Tokens>> ask_for_tokens(Client client, std::string endpoint, Parameters parameters) {
  web::FetchRequest request{.url = std::move(endpoint), .method = "POST"};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  if (client.sends_basic) {
    request.headers.emplace_back("Authorization", basic(client));
  } else {
    parameters.emplace_back("client_id", client.id);
    if (!client.secret.empty()) parameters.emplace_back("client_secret", client.secret);
  }
  request.body = form(parameters);
  request.origin.part = asking_part;
  request.max_bytes = max_bytes;
  const auto response = co_await web::fetch(std::move(request));
  if (!response) co_return bad_answer(response.error().message);
  const auto answer = web::parse_json(response->body);
  if (!answer) co_return bad_answer("the token endpoint answered no JSON, status " + std::to_string(response->status));
  // GitHub refuses with 200 and an error.
  if (response->status != 200 || web::string_member(*answer, "access_token").empty()) {
    web::Error refused = web::unauthenticated("The sign-in provider refused");
    refused.detail = web::string_member(*answer, "error");
    co_return refused;
  }
  co_return Tokens{web::string_member(*answer, "access_token"), web::string_member(*answer, "id_token"),
                   web::string_member(*answer, "refresh_token")};
}

}  // namespace

web::Task<web::Result<Tokens>> exchange_code(Client client, CodeExchange exchange) {
  Parameters parameters{{"grant_type", "authorization_code"},
                        {"code", exchange.code},
                        {"redirect_uri", exchange.redirect_uri},
                        {"code_verifier", exchange.code_verifier}};
  co_return co_await ask_for_tokens(std::move(client), std::move(exchange.endpoint), std::move(parameters));
}

web::Task<web::Result<Tokens>> refresh(Client client, std::string endpoint, std::string refresh_token) {
  Parameters parameters{{"grant_type", "refresh_token"}, {"refresh_token", std::move(refresh_token)}};
  co_return co_await ask_for_tokens(std::move(client), std::move(endpoint), std::move(parameters));
}

web::Task<web::Result<Document>> get(std::string url, std::string access_token, std::string accept) {
  web::FetchRequest request{.url = std::move(url)};
  request.headers = {{"Accept", std::move(accept)}, {"User-Agent", "agentbox"}};
  if (!access_token.empty()) request.headers.emplace_back("Authorization", "Bearer " + access_token);
  request.origin.part = asking_part;
  request.max_bytes = max_bytes;
  auto response = co_await web::fetch(request);
  if (!response) co_return bad_answer(response.error().message);
  if (response->status != 200)
    co_return bad_answer(request.url + " answered status " + std::to_string(response->status));
  co_return Document{media_type(response->header("content-type")), std::move(response->body)};
}

web::Task<web::Result<boost::json::value>> get_json(std::string url, std::string access_token) {
  const auto document = co_await get(url, std::move(access_token), "application/json");
  if (!document) co_return document.error();
  auto answer = web::parse_json(document->text);
  if (!answer) co_return bad_answer(url + " answered no JSON");
  co_return std::move(*answer);
}

bool is_true(const boost::json::value& object, std::string_view name) {
  const auto* value = object.is_object() ? object.get_object().if_contains(name) : nullptr;
  return value != nullptr && value->is_bool() && value->get_bool();
}

}  // namespace oauth
