#include "appliance/network/a2a/card.h"

#include <boost/json.hpp>

#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/jcs.h"
#include "appliance/foundation/crypto/random.h"

namespace a2a {

namespace {

namespace json = boost::json;

constexpr std::size_t key_id_characters = 16;

json::array texts(std::initializer_list<std::string_view> list) {
  json::array array;
  for (const auto text : list) array.push_back(json::value(text));
  return array;
}

json::object wrapped(std::string_view name, json::value value) {
  json::object object;
  object[name] = std::move(value);
  return object;
}

// What both versions have. No member is empty or has a default value: readers leave those out before they verify.
json::object common_card(const bus::Participant& agent) {
  json::object card;
  card["name"] = agent.name;
  card["description"] = "The agent " + agent.name + " on an agentbox: answers messages with its tools and its memory.";
  card["version"] = std::string(agents::runtime_version);
  card["capabilities"] = wrapped("streaming", true);
  card["defaultInputModes"] = texts({"text/plain", "application/json"});
  card["defaultOutputModes"] = texts({"text/plain"});
  json::object skill{{"id", "conversation"}, {"name", "Conversation"}};
  skill["description"] = "Answers a message in plain text.";
  skill["tags"] = texts({"conversation"});
  json::array skills;
  skills.push_back(std::move(skill));
  card["skills"] = std::move(skills);
  return card;
}

json::object interface_of(const std::string& url, std::string_view version) {
  json::object shown{{"url", url}, {"protocolBinding", "JSONRPC"}};
  shown["protocolVersion"] = std::string(version);
  return shown;
}

void add_legacy_address(json::object& card, const std::string& url) {
  card["protocolVersion"] = "0.3.0";
  card["url"] = url;
  card["preferredTransport"] = "JSONRPC";
}

}  // namespace

CardSigner::CardSigner(std::string_view master_key)
    : key_(crypto::derived_key(master_key, "signing agent cards")),
      key_id_(crypto::to_base64url(crypto::sha256(key_.public_key())).substr(0, key_id_characters)) {}

void CardSigner::sign(json::object& card, const json::object& signed_part, const std::string& keys_url) const {
  json::object header{{"alg", "EdDSA"}, {"typ", "JOSE"}};
  header["kid"] = key_id_;
  header["jku"] = keys_url;
  const auto payload = crypto::canonical_json(signed_part).value();
  const auto encoded = crypto::to_base64url(json::serialize(header));
  json::object signature;
  signature["protected"] = encoded;
  signature["signature"] = crypto::to_base64url(key_.sign(encoded + "." + crypto::to_base64url(payload)));
  if (!card.contains("signatures")) card["signatures"] = json::array();
  card["signatures"].as_array().push_back(std::move(signature));
}

json::object CardSigner::key_set() const {
  json::object key{{"kty", "OKP"}, {"crv", "Ed25519"}, {"alg", "EdDSA"}, {"use", "sig"}};
  key["kid"] = key_id_;
  key["x"] = crypto::to_base64url(key_.public_key());
  json::array keys;
  keys.push_back(std::move(key));
  return wrapped("keys", std::move(keys));
}

json::object card_of(const bus::Participant& agent, const std::string& url) {
  auto card = common_card(agent);
  json::array interfaces;
  interfaces.push_back(interface_of(url, "1.0"));
  interfaces.push_back(interface_of(url, "0.3"));
  card["supportedInterfaces"] = std::move(interfaces);
  json::object http{{"scheme", "Bearer"}};
  http["description"] = "An API key of a user, or the token of another agent of this box.";
  card["securitySchemes"] = wrapped("bearer", wrapped("httpAuthSecurityScheme", std::move(http)));
  json::array requirements;
  requirements.push_back(wrapped("schemes", wrapped("bearer", wrapped("list", texts({"message"})))));
  card["securityRequirements"] = std::move(requirements);
  return card;
}

json::object card_for_both(const bus::Participant& agent, const std::string& url) {
  auto card = card_of(agent, url);
  add_legacy_address(card, url);
  return card;
}

json::object legacy_card_of(const bus::Participant& agent, const std::string& url) {
  auto card = common_card(agent);
  add_legacy_address(card, url);
  json::object http{{"type", "http"}, {"scheme", "bearer"}};
  card["securitySchemes"] = wrapped("bearer", std::move(http));
  json::array security;
  security.push_back(wrapped("bearer", json::array()));
  card["security"] = std::move(security);
  return card;
}

}  // namespace a2a
