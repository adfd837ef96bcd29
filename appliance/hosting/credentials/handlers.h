// /api/credentials: secrets that a user's agents use and never see.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/credentials/credentials.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace credentials {

// Must outlive the rows.
struct Services {
  Credentials& credentials;
  audit::Audit& audit;
};

struct CredentialRequest {
  web::Text<1, 64> name;
  std::optional<web::Text<8, 8'000>> secret;
  std::optional<web::List<web::Text<1, 128>, 0, 100>> agents;
  std::optional<web::Text<1, 8>> scheme;
  web::List<web::Text<1, 253>, 1, 20> hosts;
  std::optional<web::List<web::Text<1, 500>, 0, 20>> paths;
  std::optional<web::List<web::Text<1, 20>, 0, 20>> methods;
  Form form = Form::bearer;
  std::optional<web::Text<0, 100>> parameter;
};
BOOST_DESCRIBE_STRUCT(CredentialRequest, (), (name, secret, agents, scheme, hosts, paths, methods, form, parameter))

struct CredentialView {
  std::string id, name;
  std::vector<std::string> agents;
  std::string scheme;
  std::vector<std::string> hosts, paths, methods;
  Form form = Form::bearer;
  std::string parameter;
  store::Time createdAt, updatedAt;
};
BOOST_DESCRIBE_STRUCT(CredentialView, (),
                      (id, name, agents, scheme, hosts, paths, methods, form, parameter, createdAt, updatedAt))

struct CredentialAnswer {
  CredentialView credential;
};
BOOST_DESCRIBE_STRUCT(CredentialAnswer, (), (credential))

struct CredentialList {
  std::vector<CredentialView> credentials;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(CredentialList, (), (credentials, count))

struct UseView {
  std::string credential, agent, host, method;
  std::int64_t status = 0, bytesOut = 0, bytesIn = 0;
  bool refused = false;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(UseView, (), (credential, agent, host, method, status, bytesOut, bytesIn, refused, at))

struct UseList {
  std::vector<UseView> uses;
};
BOOST_DESCRIBE_STRUCT(UseList, (), (uses))

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace credentials
