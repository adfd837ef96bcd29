#include "appliance/identity/identity_provider/identity_provider.h"

#include "appliance/foundation/trusted_time.h"
#include "appliance/identity/oauth/form.h"
#include "appliance/identity/oidc/userinfo.h"

namespace identity_provider {

namespace {

using oauth::CallbackResult;
using oauth::Failure;
using oauth::Refusal;

constexpr std::string_view scopes = "openid email profile";

CallbackResult refused(Failure failure, const web::Error& error) {
  return Refusal{failure, error.message + (error.detail.empty() ? "" : ": " + error.detail)};
}

}  // namespace

std::string IdentityProvider::identity_id(std::string_view issuer, std::string_view subject) {
  return "idp:" + std::string(issuer) + " " + std::string(subject);
}

web::Task<web::Result<oauth::AuthorizationRedirect>> IdentityProvider::begin(oauth::Browser browser) {
  const auto endpoints = co_await provider_.endpoints();
  if (!endpoints) co_return endpoints.error();
  auto authorization = flow_.begin(browser, agentbox::trusted_now());
  std::string scope(scopes);
  if ((*endpoints)->has_offline_scope) scope += " offline_access";
  oauth::Parameters parameters{{"response_type", "code"},
                               {"client_id", client_.id},
                               {"redirect_uri", redirect_uri()},
                               {"scope", scope},
                               {"state", authorization.state},
                               {"nonce", authorization.nonce},
                               {"code_challenge", authorization.code_challenge},
                               {"code_challenge_method", "S256"},
                               {"prompt", "consent"}};
  if (!(*endpoints)->has_offline_scope) parameters.emplace_back("access_type", "offline");
  co_return oauth::AuthorizationRedirect{.location = oauth::with_query((*endpoints)->authorization, parameters),
                                         .cookie = std::move(authorization.cookie)};
}

web::Task<CallbackResult> IdentityProvider::finish(oauth::Browser browser, oauth::CallbackQuery query) {
  if (!query.code || !query.state)
    co_return Refusal{Failure::AuthFailed, query.error ? "the provider says " + *query.error : "no code"};
  const auto since = identities_.session_epoch();
  if (query.iss && !oidc::same_issuer(*query.iss, provider_.issuer()))
    co_return Refusal{Failure::AuthFailed, "the code is of another issuer"};
  const auto callback = co_await flow_.finish(browser, *query.state, agentbox::trusted_now());
  if (!callback) co_return Refusal{Failure::AuthFailed, "the state is not this browser's, too old, or was used"};

  const auto endpoints = co_await provider_.endpoints();
  if (!endpoints) co_return refused(Failure::TokenFailed, endpoints.error());
  oauth::Client client = client_;
  client.sends_basic = (*endpoints)->takes_basic;
  oauth::CodeExchange exchange{.endpoint = (*endpoints)->token,
                               .code = *query.code,
                               .code_verifier = callback->code_verifier,
                               .redirect_uri = redirect_uri()};
  auto tokens = co_await oauth::exchange_code(std::move(client), std::move(exchange));
  if (!tokens) co_return refused(Failure::TokenFailed, tokens.error());
  co_return co_await sign_in(std::move(*tokens), callback->nonce, std::move(browser.invite_code), since);
}

web::Task<CallbackResult> IdentityProvider::sign_in(oauth::Tokens tokens, std::string nonce,
                                                    std::optional<std::string> invite_code,
                                                    accounts::SessionEpoch since) {
  oidc::Expected expected{.issuer = provider_.issuer(), .client_id = client_.id, .nonce = std::move(nonce)};
  auto verified = co_await oidc::verify_id_token(provider_, tokens.id, std::move(expected), store::now());
  if (!verified) co_return refused(Failure::TokenFailed, verified.error());
  const auto person = co_await oidc::with_userinfo(provider_, std::move(*verified), client_.id, tokens.access);
  if (!person) co_return refused(Failure::AuthError, person.error());
  if (person->email.empty()) co_return Refusal{Failure::NoEmail, "the account has no email"};

  identities::VerifiedIdentity identity{.id = identity_id(provider_.issuer(), person->subject),
                                        .email = person->email,
                                        .is_email_verified = person->email_verified,
                                        .name = person->name,
                                        .refresh_token = tokens.refresh,
                                        .invite_code = std::move(invite_code)};
  auto user = co_await identities_.sign_in(std::move(identity), since);
  if (!user) {
    if (accounts::is_registration_refusal(user.error())) co_return refused(Failure::NoAccount, user.error());
    // The address is taken, and the provider has not verified it.
    const bool is_unverified = user.error().kind == web::Kind::conflict || user.error().kind == web::Kind::invalid;
    co_return refused(is_unverified ? Failure::NoEmail : Failure::AuthError, user.error());
  }
  if (person->groups) co_await groups_.follow_claims(user->id, *person->groups);
  co_return std::move(*user);
}

}  // namespace identity_provider
