#include "appliance/identity/security_events/token.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/oauth/client.h"
#include "appliance/identity/oidc/provider.h"
#include "web/json.h"

namespace security_events {

namespace {

constexpr std::size_t longest_jti = 200, longest_reason = 100, longest_type = 200, max_events = 20;
constexpr std::string_view standard_events[] = {"https://schemas.openid.net/secevent/risc/event-type/",
                                                "https://schemas.openid.net/secevent/oauth/event-type/",
                                                "https://schemas.openid.net/secevent/caep/event-type/"};

web::Error refused(const std::string& err, const std::string& why) {
  web::Error error = web::invalid(why);
  error.extra["err"] = err;
  error.extra["description"] = why;
  return error;
}

// An event of the same name under another URI means something else.
std::string type_of(std::string_view uri) {
  for (const std::string_view prefix : standard_events)
    if (uri.starts_with(prefix)) return std::string(uri.substr(prefix.size(), longest_type));
  return "<" + std::string(uri.substr(0, longest_type)) + ">";
}

// The account an event is about: RISC's `subject` inside the event, else the Shared Signals Framework's `sub_id` beside
// all events. A subject of another issuer is ignored.
void read_subject(const boost::json::value& data, const boost::json::value* of_all, const std::string& issuer,
                  Event& event) {
  const auto* own = data.is_object() ? data.get_object().if_contains("subject") : nullptr;
  const auto* subject = own != nullptr ? own : of_all;
  if (subject == nullptr || !subject->is_object()) return;
  const std::string of = web::string_member(*subject, "iss");
  if (of.empty() || oidc::same_issuer(of, issuer)) event.subject = web::string_member(*subject, "sub");
  event.email = agentbox::normalised_email(web::string_member(*subject, "email")).value_or("");
}

web::Result<Received> content(const boost::json::object& claims, const std::string& issuer) {
  const std::string jti = web::string_member(claims, "jti");
  if (jti.empty()) return refused("invalid_request", "The token has no jti");
  const auto* events = claims.if_contains("events");
  if (events == nullptr || !events->is_object() || events->get_object().empty())
    return refused("invalid_request", "The token has no events");
  if (events->get_object().size() > max_events) return refused("invalid_request", "The token has too many events");

  Received event{.id = crypto::sha256_hex(jti),
                 .jti = jti.substr(0, longest_jti),
                 .subject = {},
                 .email = {},
                 .events = {},
                 .actions = {}};
  for (const auto& [uri, data] : events->get_object()) {
    Event each{.type = type_of(uri),
               .reason = web::string_member(data, "reason").substr(0, longest_reason),
               .subject = {},
               .email = {}};
    read_subject(data, claims.if_contains("sub_id"), issuer, each);
    if (event.subject.empty() && event.email.empty()) {
      event.subject = each.subject;
      event.email = each.email;
    }
    event.events.push_back(std::move(each));
  }
  return event;
}

}  // namespace

web::Task<web::Result<Received>> verify(const Transmitter& transmitter, oidc::KeyCache& keys, std::string_view text) {
  if (text.empty()) co_return refused("invalid_request", "The body is empty");
  const auto token = crypto::UnverifiedJwt::parse(text);
  if (!token) co_return refused("invalid_request", token.error().message);
  // Other tokens of the same issuer are not events.
  if (!token->type().empty() && token->type() != "secevent+jwt" && token->type() != "jwt")
    co_return refused("invalid_request", "The token is not a security event token");
  const std::string issuer = web::string_member(token->claims(), "iss");
  if (transmitter.issuer.empty() || !oidc::same_issuer(issuer, transmitter.issuer))
    co_return refused("invalid_issuer", "The token is of another issuer");
  const auto audiences = crypto::audience(token->claims());
  const bool is_for_us = std::ranges::any_of(audiences, [&](const auto& name) {
    return std::ranges::find(transmitter.client_ids, name) != transmitter.client_ids.end();
  });
  if (!is_for_us) co_return refused("invalid_audience", "The token is for another audience");

  const auto key = co_await keys.key_of(*token);
  if (!key) co_return web::internal("The issuer's keys cannot be had", key.error().message + ": " + key.error().detail);
  if (!*key || token->key_id().empty()) co_return refused("invalid_key", "The token's key is unknown");
  if (!token->signed_by(**key)) co_return refused("authentication_failed", "The token's signature is wrong");
  co_return content(token->claims(), transmitter.issuer);
}

web::Task<web::Result<std::string>> locate_keys(std::string issuer) {
  if (issuer.ends_with('/')) issuer.pop_back();
  const auto document = co_await oauth::get_json(issuer + "/.well-known/risc-configuration");
  if (!document) co_return document.error();
  const std::string keys = web::string_member(*document, "jwks_uri");
  if (!oidc::same_issuer(web::string_member(*document, "issuer"), issuer) ||
      !keys.starts_with(issuer.starts_with("https://") ? "https://" : "http"))
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The RISC configuration is not the issuer's"};
  co_return keys;
}

}  // namespace security_events
