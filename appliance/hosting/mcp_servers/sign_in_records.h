// What is stored of sign-ins at servers (OAuth).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/table.h"

namespace mcp_servers {

// One for each agent and server: first the authorization request, then its tokens as well.
struct SignIn {
  std::int64_t owner = 0;
  std::string id;   // <agent>/<server>
  std::string url;  // of the server, as in the config then
  std::string resource, issuer, authorization_endpoint, token_endpoint, revocation_endpoint, scope;
  bool names_issuer = false;  // callbacks have to say the issuer (RFC 9207)
  std::string client_id;
  store::Sealed client_secret;
  bool takes_basic = true;     // see Authority
  bool is_registered = false;  // the client, by the box (RFC 7591); at this redirect:
  std::string redirect_uri;
  // While the owner signs in.
  std::optional<std::string> state;  // SHA-256 of it in hex
  store::Sealed verifier;
  store::Time began_at;
  // Afterwards.
  store::Sealed access, refresh;
  std::optional<store::Time> signed_in_at, expires_at;
};
BOOST_DESCRIBE_STRUCT(SignIn, (),
                      (owner, id, url, resource, issuer, authorization_endpoint, token_endpoint, revocation_endpoint,
                       scope, names_issuer, client_id, client_secret, takes_basic, is_registered, redirect_uri, state,
                       verifier, began_at, access, refresh, signed_in_at, expires_at))

inline const store::Owned<SignIn> sign_ins{{.family = "mcp_sign_ins", .number = 250},
                                           &SignIn::owner,
                                           &SignIn::id,
                                           {store::unique<SignIn>(1, "state", &SignIn::state)}};

}  // namespace mcp_servers
