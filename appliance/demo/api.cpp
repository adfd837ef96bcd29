#include "appliance/demo/api.h"

#include <stdexcept>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/jcs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/runtime/bus_identity.h"
#include "store/clock.h"
#include "web/routes/reply.h"

namespace demo {

namespace json = boost::json;

web::FetchResponse Api::exchange(const std::string& method, const std::string& path, const json::value& body) const {
  web::FetchRequest request{.url = url_ + path, .method = method, .headers = headers_};
  if (!body.is_null()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = json::serialize(body);
  }
  request.reach = web::Reach::own;
  request.timeout = std::chrono::seconds(60);
  auto answer = web::fetch_blocking(std::move(request));
  if (!answer) throw std::runtime_error(method + " " + path + ": " + answer.error().message);
  if (answer->status >= 300)
    throw std::runtime_error(method + " " + path + " answered " + std::to_string(answer->status) + ": " + answer->body);
  return std::move(*answer);
}

json::value Api::call(const std::string& method, const std::string& path, const json::value& body) const {
  const auto answer = exchange(method, path, body);
  return answer.body.empty() ? json::value() : json::parse(answer.body);
}

Api backend_of(const Addresses& box) { return Api(box.backend, {{"Authorization", "Bearer " + box.internal_key}}); }

void Person::sign_in(const std::string& email, const std::string& password) {
  headers_.clear();
  const auto answer = exchange("POST", "/api/auth/login", json::object{{"email", email}, {"password", password}});
  for (const auto& [name, value] : answer.headers)
    if (name == "set-cookie" && value.starts_with("app-session="))
      headers_ = {{"Cookie", value.substr(0, value.find(';'))}};
  if (headers_.empty()) throw std::runtime_error("signing in as " + email + " gave no session");
}

AgentProgram::AgentProgram(const Addresses& box, std::string agent, std::string box_token)
    : Api(box.backend, {{"Authorization", "Bearer " + box_token}}),
      agent_(std::move(agent)),
      token_(std::move(box_token)) {}

json::value AgentProgram::send(const std::string& action, json::object payload, const std::string& to) const {
  constexpr std::size_t id_characters = 20;
  json::object message{{"messageId", "msg_" + crypto::random_id(id_characters)},
                       {"from", agent_},
                       {"action", action},
                       {"timestamp", web::iso8601(store::now())},
                       {"keyId", std::string(runtime::own_bus_key_id)}};
  message["payload"] = std::move(payload);
  if (!to.empty()) message["to"] = to;
  const auto text = crypto::canonical_json(message);
  if (!text) throw std::logic_error("a message of the demo has no canonical form");
  message["signature"] = "ed25519:" + crypto::to_base64url(runtime::own_bus_key(token_).sign(*text));
  return call("POST", "/api/underground/bus/send", message);
}

std::string text_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code absent;
  const auto* found = value.find_pointer(pointer, absent);
  if (!found || !found->is_string()) throw std::runtime_error("the answer has no " + std::string(pointer));
  return std::string(found->get_string());
}

}  // namespace demo
