// What is stored of programs that users have let in to /mcp (OAuth 2.1).
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/table.h"

namespace mcp_authorization {

struct Grant {
  std::int64_t owner = 0;
  std::string id;           // mg_ and 20 random characters
  std::string client;       // SHA-256 of the client's id in hex
  std::string client_name;  // as the client calls itself
  std::string scope;
  std::string refresh;   // SHA-256 of the refresh token in hex
  std::string previous;  // likewise of the one before, which must not come again
  std::string key;       // id of the API key that is the access token
  store::Time created_at, used_at, expires_at;
};
BOOST_DESCRIBE_STRUCT(Grant, (),
                      (owner, id, client, client_name, scope, refresh, previous, key, created_at, used_at, expires_at))

inline const store::Owned<Grant> grants{{.family = "mcp_grants", .number = 251}, &Grant::owner, &Grant::id, {}};

}  // namespace mcp_authorization
