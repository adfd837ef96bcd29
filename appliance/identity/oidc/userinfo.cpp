#include "appliance/identity/oidc/userinfo.h"

#include <algorithm>

#include "appliance/identity/oauth/client.h"
#include "web/ascii.h"
#include "web/json.h"
#include "web/routes/fields.h"

namespace oidc {

namespace {

web::Error unusable_userinfo(std::string why) {
  return {.kind = web::Kind::bad_gateway,
          .message = "The identity provider's userinfo cannot be used",
          .detail = std::move(why)};
}

// Section 5.3.2: a signed answer names its issuer and the client it is for.
web::Task<web::Result<boost::json::object>> signed_claims(Provider& provider, std::string text, std::string client_id) {
  const auto token = crypto::UnverifiedJwt::parse(text);
  if (!token) co_return unusable_userinfo(token.error().message);
  if (!same_issuer(web::string_member(token->claims(), "iss"), provider.issuer()))
    co_return unusable_userinfo("another issuer");
  const auto names = crypto::audience(token->claims());
  if (std::ranges::find(names, client_id) == names.end()) co_return unusable_userinfo("another audience");
  const auto key = co_await provider.keys().key_of(*token);
  if (!key) co_return key.error();
  if (!*key) co_return unusable_userinfo("no key of that id");
  if (!token->signed_by(**key)) co_return unusable_userinfo("the signature is wrong");
  co_return token->claims();
}

web::Result<boost::json::object> plain_claims(std::string_view text) {
  auto answer = web::parse_json(text);
  if (!answer) return unusable_userinfo("it is not JSON");
  if (!answer->is_object()) return unusable_userinfo("it is not an object");
  return std::move(answer->get_object());
}

web::Task<web::Result<boost::json::object>> fetch_claims(Provider& provider, std::string url, std::string client_id,
                                                         std::string access_token) {
  auto document = co_await oauth::get(std::move(url), std::move(access_token), "application/json, application/jwt");
  if (!document) co_return document.error();
  if (document->media_type != "application/jwt") co_return plain_claims(document->text);
  co_return co_await signed_claims(provider, std::move(document->text), std::move(client_id));
}

}  // namespace

web::Task<web::Result<Person>> with_userinfo(Provider& provider, Person person, std::string client_id,
                                             std::string access_token) {
  const auto endpoints = co_await provider.endpoints();
  if (!endpoints) co_return endpoints.error();
  if ((*endpoints)->userinfo.empty()) co_return person;
  const auto claims =
      co_await fetch_claims(provider, (*endpoints)->userinfo, std::move(client_id), std::move(access_token));
  if (!claims) co_return claims.error();
  Person newer = person_of(*claims);
  if (newer.subject != person.subject) co_return unusable_userinfo("it is about another subject");
  // An answer that only repeats the address says nothing new about it.
  const bool only_repeats = web::equal_ignoring_case(newer.email, person.email) && !claims->contains("email_verified");
  if (!newer.email.empty() && !only_repeats) {
    person.email = std::move(newer.email);
    person.email_verified = newer.email_verified;
  }
  if (newer.groups) person.groups = std::move(newer.groups);
  if (!newer.name.empty()) person.name = std::move(newer.name);
  co_return person;
}

}  // namespace oidc
