#include "appliance/identity/code_host/code_host.h"

#include "appliance/foundation/trusted_time.h"
#include "appliance/identity/oauth/form.h"
#include "web/json.h"

namespace code_host {

namespace {

using oauth::CallbackResult;
using oauth::Failure;
using oauth::Refusal;

std::string without_slash(std::string url) {
  if (url.ends_with('/')) url.pop_back();
  return url;
}

CallbackResult refused(Failure failure, const web::Error& error) {
  return Refusal{failure, error.message + (error.detail.empty() ? "" : ": " + error.detail)};
}

// The account's number, which stays the same when the account is renamed.
std::optional<std::int64_t> account_number(const boost::json::value& account) {
  const auto* id = account.is_object() ? account.get_object().if_contains("id") : nullptr;
  if (id == nullptr || !id->is_int64() || id->get_int64() <= 0) return std::nullopt;
  return id->get_int64();
}

}  // namespace

CodeHost::CodeHost(Addresses addresses, oauth::Client client, oauth::BrowserFlow flow,
                   identities::Identities& identities, const agentbox::Site& site)
    : addresses_{without_slash(std::move(addresses.base)), without_slash(std::move(addresses.api))},
      client_(std::move(client)),
      flow_(std::move(flow)),
      identities_(identities),
      site_(site) {}

web::Task<web::Result<oauth::AuthorizationRedirect>> CodeHost::begin(oauth::Browser browser) {
  auto authorization = flow_.begin(browser, agentbox::trusted_now());
  const oauth::Parameters parameters{{"client_id", client_.id},        {"response_type", "code"},
                                     {"redirect_uri", redirect_uri()}, {"scope", "read:user user:email"},
                                     {"state", authorization.state},   {"code_challenge", authorization.code_challenge},
                                     {"code_challenge_method", "S256"}};
  co_return oauth::AuthorizationRedirect{
      .location = oauth::with_query(addresses_.base + "/login/oauth/authorize", parameters),
      .cookie = std::move(authorization.cookie)};
}

web::Task<CallbackResult> CodeHost::finish(oauth::Browser browser, oauth::CallbackQuery query) {
  if (!query.code || !query.state)
    co_return Refusal{Failure::AuthFailed, query.error ? "the code host says " + *query.error : "no code"};
  const auto since = identities_.session_epoch();
  const auto callback = co_await flow_.finish(browser, *query.state, agentbox::trusted_now());
  if (!callback) co_return Refusal{Failure::AuthFailed, "the state is not this browser's, too old, or was used"};
  oauth::CodeExchange exchange{.endpoint = addresses_.base + "/login/oauth/access_token",
                               .code = *query.code,
                               .code_verifier = callback->code_verifier,
                               .redirect_uri = redirect_uri()};
  auto tokens = co_await oauth::exchange_code(client_, std::move(exchange));
  if (!tokens) co_return refused(Failure::TokenFailed, tokens.error());
  co_return co_await sign_in(std::move(tokens->access), std::move(browser.invite_code), since);
}

web::Task<CallbackResult> CodeHost::sign_in(std::string access_token, std::optional<std::string> invite_code,
                                            accounts::SessionEpoch since) {
  const auto account = co_await oauth::get_json(addresses_.api + "/user", access_token);
  if (!account) co_return refused(Failure::AuthError, account.error());
  const auto number = account_number(*account);
  if (!number) co_return Refusal{Failure::AuthError, "the account has no id"};
  const auto emails = co_await oauth::get_json(addresses_.api + "/user/emails", access_token);
  if (!emails) co_return refused(Failure::AuthError, emails.error());
  const auto email = primary_email(*emails);
  if (email.address.empty()) co_return Refusal{Failure::NoEmail, "the account has no primary email"};

  const std::string name = web::string_member(*account, "name");
  identities::VerifiedIdentity identity{.id = "codehost:" + addresses_.base + " " + std::to_string(*number),
                                        .email = email.address,
                                        .is_email_verified = email.is_verified,
                                        .name = name.empty() ? web::string_member(*account, "login") : name,
                                        .refresh_token = {},
                                        .invite_code = std::move(invite_code)};
  auto user = co_await identities_.sign_in(std::move(identity), since);
  if (!user) {
    if (accounts::is_registration_refusal(user.error())) co_return refused(Failure::NoAccount, user.error());
    const bool is_unverified = user.error().kind == web::Kind::conflict || user.error().kind == web::Kind::invalid;
    co_return refused(is_unverified ? Failure::NoEmail : Failure::AuthError, user.error());
  }
  co_return std::move(*user);
}

Email primary_email(const boost::json::value& list) {
  if (!list.is_array()) return {};
  for (const auto& entry : list.get_array())
    if (oauth::is_true(entry, "primary"))
      return {web::string_member(entry, "email"), oauth::is_true(entry, "verified")};
  return {};
}

}  // namespace code_host
