#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/identity/site.h"
#include "appliance/network/mcp_server/authorization/authorization.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace mcp_authorization {

// All of it must outlive the rows.
struct Services {
  Authorization& authorization;
  const agentbox::Site& site;
  audit::Audit& audit;
};

// RFC 8414.
struct Metadata {
  std::string issuer, authorization_endpoint, token_endpoint, registration_endpoint;
  std::vector<std::string> scopes_supported, response_types_supported, grant_types_supported,
      token_endpoint_auth_methods_supported, code_challenge_methods_supported;
  bool authorization_response_iss_parameter_supported = true;
};
BOOST_DESCRIBE_STRUCT(Metadata, (),
                      (issuer, authorization_endpoint, token_endpoint, registration_endpoint, scopes_supported,
                       response_types_supported, grant_types_supported, token_endpoint_auth_methods_supported,
                       code_challenge_methods_supported, authorization_response_iss_parameter_supported))

// Further metadata of clients is accepted and not used.
struct Registered {
  std::string client_id;
  std::int64_t client_id_issued_at = 0;
  std::string client_name;
  std::vector<std::string> redirect_uris, grant_types, response_types;
  std::string token_endpoint_auth_method;
};
BOOST_DESCRIBE_STRUCT(Registered, (),
                      (client_id, client_id_issued_at, client_name, redirect_uris, grant_types, response_types,
                       token_endpoint_auth_method))

struct TokenAnswer {
  std::string access_token, token_type = "Bearer";
  std::int64_t expires_in = 0;
  std::string refresh_token, scope;
};
BOOST_DESCRIBE_STRUCT(TokenAnswer, (), (access_token, token_type, expires_in, refresh_token, scope))

BOOST_DEFINE_ENUM_CLASS(ConsentDecision, allow, refuse)

struct ConsentRequest {
  web::Text<1, 8'000> clientId;
  web::Text<1, 500> redirectUri;
  std::optional<web::Text<0, 50>> responseType, codeChallengeMethod;
  std::optional<web::Text<0, 200>> codeChallenge;
  std::optional<web::Text<0, 1'000>> scope, resource;
  std::optional<web::Text<0, 2'000>> state;
  std::optional<ConsentDecision> decision;
};
BOOST_DESCRIBE_STRUCT(ConsentRequest, (),
                      (clientId, redirectUri, responseType, codeChallengeMethod, codeChallenge, scope, resource, state,
                       decision))

struct ConsentAnswer {
  std::string clientName, redirectHost;
  std::vector<std::string> scopes;
  std::optional<std::string> redirect;  // where the browser goes with the decision
};
BOOST_DESCRIBE_STRUCT(ConsentAnswer, (), (clientName, redirectHost, scopes, redirect))

// /.well-known/oauth-authorization-server and /oauth, on the web listener.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace mcp_authorization
