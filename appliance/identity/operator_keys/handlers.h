#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/identity/operator_keys/routes.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"

namespace operator_keys {

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

web::Answer list_keys(const Services&, const web::Request&);
web::Answer create_key(const Services&, const web::Request&, NewKey);
web::Answer revoke_key(const Services&, const web::Request&);

}  // namespace operator_keys
