// Finds who signs users in for a server: the metadata of the protected resource (RFC 9728) and of its authorization
// server (RFC 8414, OpenID Connect Discovery), and a registration as its client (RFC 7591).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/client/fetch.h"
#include "web/result.h"
#include "web/task.h"

namespace mcp_servers {

// How the box asks servers that users have named.
struct Asking {
  web::Reach reach = web::Reach::public_only;
  web::CallOrigin origin;
};

struct Authority {
  std::string resource;  // that tokens are for
  std::string issuer, authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint;
  std::string scope;          // that the server wants; empty: it does not say
  bool names_issuer = false;  // its callbacks say the issuer
  bool takes_basic = true;    // a client's secret in the Authorization header; else in the form
};

// bad_gateway with a sentence that says what is missing; conflict: the server asks nobody to sign in.
web::Task<web::Result<Authority>> find_authority(std::string server_url, Asking);

struct RegisteredClient {
  std::string id, secret;
};
web::Task<web::Result<RegisteredClient>> register_client(const Authority&, std::string redirect_uri, Asking);

// A parameter of a Bearer challenge in WWW-Authenticate; empty: it has none.
std::string challenge_parameter(std::string_view header, std::string_view name);
// Where the metadata of this resource may be, the likeliest first; likewise of an issuer. Empty: it is no http or https
// address.
std::vector<std::string> resource_metadata_urls(std::string_view url);
std::vector<std::string> issuer_metadata_urls(std::string_view issuer);
// Whether a server at `url` may be named by the resource: the same origin, and a path at or above its own.
bool covers(std::string_view resource, std::string_view url);

}  // namespace mcp_servers
