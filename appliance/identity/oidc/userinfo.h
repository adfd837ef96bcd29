// The userinfo endpoint (OpenID Connect Core, 5.3).
#pragma once

#include <string>

#include "appliance/identity/oidc/id_token.h"
#include "appliance/identity/oidc/provider.h"

namespace oidc {

// The person of an ID token with the claims of userinfo, which are newer; unchanged if the provider has no such
// endpoint. The answer is JSON or a token that the provider has signed. An error: no usable answer, a wrong signature,
// another issuer, audience or subject.
web::Task<web::Result<Person>> with_userinfo(Provider&, Person, std::string client_id, std::string access_token);

}  // namespace oidc
