#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/access/operator_keys.h"
#include "appliance/identity/audit/audit.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace operator_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  OperatorKeys& keys;
  audit::Audit& audit;
};

struct NewKey {
  web::Text<1, 100> name;
  web::List<web::Text<1, 100>, 1, 10> scopes;
  std::optional<web::Integer<1, 3650>> expiresInDays;
};
BOOST_DESCRIBE_STRUCT(NewKey, (), (name, scopes, expiresInDays))

struct KeyView {
  std::string name;
  std::vector<std::string> scopes;
  std::string createdBy;
  store::Time createdAt;
  std::optional<store::Time> lastUsedAt, expiresAt;
};
BOOST_DESCRIBE_STRUCT(KeyView, (), (name, scopes, createdBy, createdAt, lastUsedAt, expiresAt))

struct KeyList {
  std::vector<KeyView> keys;
};
BOOST_DESCRIBE_STRUCT(KeyList, (), (keys))

struct CreatedView {
  std::string name;
  std::vector<std::string> scopes;
  std::string key;
  std::optional<store::Time> expiresAt;
};
BOOST_DESCRIBE_STRUCT(CreatedView, (), (name, scopes, key, expiresAt))

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace operator_keys
