// ID tokens (OpenID Connect Core, 3.1.3.7).
#pragma once

#include <string>
#include <string_view>

#include "appliance/identity/oidc/provider.h"
#include "store/store.h"

namespace oidc {

struct Expected {
  std::string issuer, client_id;
  std::string nonce;  // empty: none was sent, and none is asked for
};

struct Person {
  std::string subject;  // never empty
  std::string email, name;
  bool email_verified = false;
  store::Time good_until{};  // of an ID token: when it is refused for its age
};

// What is wrong with the claims of a token whose signature is good; nothing when nothing is. Clocks may differ by a
// minute.
std::optional<std::string> refuse_claims(const crypto::UnverifiedJwt&, const Expected&, store::Time now);

// What a token is remembered by: its signed part, since one signature may be written in two ways.
std::string_view signed_part(std::string_view token);

// Parses, finds the key, verifies and checks. unauthenticated, with the reason in the detail; bad_gateway: the
// provider's keys cannot be had.
web::Task<web::Result<Person>> verify_id_token(Provider&, std::string token, Expected, store::Time now);

// The standard claims about a person, of an ID token or of userinfo. `email_verified` may be the text "true".
Person person_of(const boost::json::object& claims);

}  // namespace oidc
