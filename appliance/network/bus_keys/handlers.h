// Handlers of the rows about keys on the bus, with the structs of their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/identity/audit/audit.h"
#include "appliance/network/bus_keys/bus_keys.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace bus_keys {

// What the rows depend on; all of it must outlive them.
struct Services {
  BusKeys& keys;
  audit::Audit& audit;
  store::System system;
};

using AgentId = web::Text<1, 128>;
using KeyId = web::Text<1, 128>;

struct KeysQuery {
  AgentId agentId;
};
BOOST_DESCRIBE_STRUCT(KeysQuery, (), (agentId))

struct AddRequest {
  AgentId agentId;
  web::Text<1, 32> algorithm;
  std::optional<web::Text<1, 128>> publicKey;
  std::optional<KeyId> replaces;
};
BOOST_DESCRIBE_STRUCT(AddRequest, (), (agentId, algorithm, publicKey, replaces))

struct RevokeRequest {
  AgentId agentId;
  KeyId keyId;
};
BOOST_DESCRIBE_STRUCT(RevokeRequest, (), (agentId, keyId))

struct KeyView {
  std::string id, agentId, algorithm;
  std::optional<std::string> publicKey;
  std::optional<store::Time> createdAt, expiresAt;
};
BOOST_DESCRIBE_STRUCT(KeyView, (), (id, agentId, algorithm, publicKey, createdAt, expiresAt))

struct KeyList {
  std::vector<KeyView> keys;
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(KeyList, (), (keys, count))

struct AddAnswer {
  KeyView key;
  std::optional<std::string> secret;
};
BOOST_DESCRIBE_STRUCT(AddAnswer, (), (key, secret))

struct RevokeAnswer {
  bool success = true;
  std::string keyId;
};
BOOST_DESCRIBE_STRUCT(RevokeAnswer, (), (success, keyId))

// The user whose agent it must be; nothing: there is no such agent.
using OwnerOf = std::optional<store::UserId> (*)(const store::System&, const web::Request&, const std::string& agent);
std::optional<store::UserId> caller(const store::System&, const web::Request&, const std::string& agent);
std::optional<store::UserId> owner_of_agent(const store::System&, const web::Request&, const std::string& agent);

web::Answer list_keys(const Services&, OwnerOf, const web::Request&, KeysQuery);
web::Answer add_key(const Services&, OwnerOf, const web::Request&, AddRequest);
web::Answer revoke_key(const Services&, OwnerOf, const web::Request&, RevokeRequest);

// The caller's own agents on the web, every agent on the backend.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace bus_keys
