#include "appliance/identity/social_identity/social_identity.h"

namespace social_identity {

web::Task<web::Result<oidc::Person>> SocialIdentity::verify(std::string token) {
  oidc::Expected expected{.issuer = provider_.issuer(), .client_id = client_.id, .nonce = {}};
  auto person = co_await oidc::verify_id_token(provider_, token, std::move(expected), store::now());
  if (!person) co_return person.error();
  std::string signed_part(oidc::signed_part(token));
  const bool is_first = co_await replay_guard_.use("id token", std::move(signed_part), person->good_until);
  if (!is_first) co_return web::unauthenticated("The ID token was used before: please get a new one");
  co_return std::move(*person);
}

web::Task<web::Result<accounts::User>> SocialIdentity::user_of(const oidc::Person& person, accounts::SessionEpoch since,
                                                               std::optional<std::string> invite_code) {
  identities::VerifiedIdentity identity{.id = "social:" + provider_.issuer() + " " + person.subject,
                                        .email = person.email,
                                        .is_email_verified = person.email_verified,
                                        .name = person.name,
                                        .refresh_token = {},
                                        .invite_code = std::move(invite_code)};
  co_return co_await identities_.sign_in(std::move(identity), since);
}

web::Task<web::Result<oauth::Tokens>> SocialIdentity::refresh(std::string refresh_token) {
  const auto endpoints = co_await provider_.endpoints();
  if (!endpoints) co_return endpoints.error();
  oauth::Client client = client_;
  client.sends_basic = (*endpoints)->takes_basic && !client.secret.empty();
  std::string endpoint = (*endpoints)->token;
  co_return co_await oauth::refresh(std::move(client), std::move(endpoint), std::move(refresh_token));
}

}  // namespace social_identity
