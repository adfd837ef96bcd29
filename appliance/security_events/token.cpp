#include "appliance/security_events/token.h"

#include <algorithm>

#include "appliance/accounts/email.h"
#include "appliance/crypto/random.h"
#include "appliance/oauth/client.h"
#include "appliance/oidc/provider.h"

namespace security_events {

namespace {

constexpr std::size_t longest_jti = 200, longest_reason = 100, most_events = 20;

web::Error refused(const std::string& err, const std::string& why) {
  web::Error error = web::invalid(why);
  error.extra["err"] = err;
  error.extra["description"] = why;
  return error;
}

std::string last_part(std::string_view uri) { return std::string(uri.substr(uri.rfind('/') + 1)); }

// Tells who the event is about, in each of the forms that have been in use: RISC's `subject` inside the event, and the
// Shared Signals framework's `sub_id` beside the events. A subject of another issuer is nobody here.
void read_subject(const boost::json::value* subject, const std::string& issuer, Received& event) {
  if (subject == nullptr || !subject->is_object()) return;
  const std::string of = oauth::text_member(*subject, "iss");
  if (of.empty() || oidc::same_issuer(of, issuer)) {
    if (auto name = oauth::text_member(*subject, "sub"); !name.empty()) event.subject = std::move(name);
  }
  if (auto email = accounts::normalised_email(oauth::text_member(*subject, "email"))) event.email = std::move(*email);
}

web::Result<Received> content(const boost::json::object& claims, const std::string& issuer) {
  const std::string jti = crypto::text_claim(claims, "jti");
  if (jti.empty()) return refused("invalid_request", "The token has no jti");
  const auto* events = claims.if_contains("events");
  if (events == nullptr || !events->is_object() || events->get_object().empty())
    return refused("invalid_request", "The token has no events");
  if (events->get_object().size() > most_events) return refused("invalid_request", "The token has too many events");

  Received event{.id = crypto::sha256_hex(jti),
                 .jti = jti.substr(0, longest_jti),
                 .subject = {},
                 .email = {},
                 .events = {},
                 .actions = {}};
  read_subject(claims.if_contains("sub_id"), issuer, event);
  for (const auto& [uri, data] : events->get_object()) {
    if (data.is_object()) read_subject(data.get_object().if_contains("subject"), issuer, event);
    event.events.push_back({last_part(uri), oauth::text_member(data, "reason").substr(0, longest_reason)});
  }
  return event;
}

}  // namespace

web::Task<web::Result<Received>> verify(const Transmitter& transmitter, oidc::KeyCache& keys, std::string_view text) {
  if (text.empty()) co_return refused("invalid_request", "The body is empty");
  const auto token = crypto::UnverifiedJwt::parse(text);
  if (!token) co_return refused("invalid_request", token.error().message);
  // Other tokens of the same issuer are no events, however they got here.
  if (!token->type().empty() && token->type() != "secevent+jwt" && token->type() != "jwt")
    co_return refused("invalid_request", "The token is not a security event token");
  const std::string issuer = crypto::text_claim(token->claims(), "iss");
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
  const std::string keys = oauth::text_member(*document, "jwks_uri");
  if (!oidc::same_issuer(oauth::text_member(*document, "issuer"), issuer) ||
      !keys.starts_with(issuer.starts_with("https://") ? "https://" : "http"))
    co_return web::Error{.kind = web::Kind::bad_gateway, .message = "The RISC configuration is not the issuer's"};
  co_return keys;
}

}  // namespace security_events
