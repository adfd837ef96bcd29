// ID tokens (OpenID Connect Core, 3.1.3.7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/identity/oidc/provider.h"
#include "store/store.h"

namespace oidc {

struct Expected {
  std::string issuer, client_id;
  std::string nonce;  // empty: none was sent, and none is expected
};

struct Person {
  std::string subject;  // never empty
  std::string email, name;
  bool email_verified = false;
  std::optional<std::vector<std::string>> groups;  // the claim `groups`, if there is one
  store::Time good_until{};                        // of an ID token: when it expires, clock skew included
};

// What is wrong with the claims of a token; nothing if they are valid. The signature is checked elsewhere. Clocks may
// differ by a minute.
std::optional<std::string> refuse_claims(const crypto::UnverifiedJwt&, const Expected&, store::Time now);

// Identifies a token for replay protection: the signed part, since a signature can be encoded in two ways.
std::string_view signed_part(std::string_view token);

// Parses the token, checks its claims, finds the key and verifies the signature. unauthenticated, with the reason in
// the detail. bad_gateway: the provider's keys cannot be fetched.
web::Task<web::Result<Person>> verify_id_token(Provider&, std::string token, Expected, store::Time now);

// The standard claims about a person, from an ID token or userinfo. `email_verified` may be the text "true".
Person person_of(const boost::json::object& claims);

}  // namespace oidc
