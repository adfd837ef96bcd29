// Keys with which agents sign what they send, and secrets with which the box signs what it delivers to them.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"

namespace bus_keys {

// ed25519 and eip191: a public key that the owner registered. hmac_sha256: a secret of the box's making that the agent
// signs with. webhook: one that the box signs deliveries with.
BOOST_DEFINE_ENUM_CLASS(Algorithm, ed25519, eip191, hmac_sha256, webhook)

struct Key {
  std::int64_t owner = 0;
  std::string id;  // bk_ and 20 random characters
  std::string agent;
  Algorithm algorithm = Algorithm::ed25519;
  std::string public_key;  // ed25519: base64url; eip191: the address in lower case
  store::Sealed secret;    // hmac_sha256, webhook
  store::Time created_at;
  std::optional<store::Time> expires_at;  // replaced by another key
};
BOOST_DESCRIBE_STRUCT(Key, (), (owner, id, agent, algorithm, public_key, secret, created_at, expires_at))

inline const store::Owned<Key> table{
    {.family = "bus_keys", .number = 70}, &Key::owner, &Key::id, {store::scoped<Key>(1, "agent", &Key::agent)}};

}  // namespace bus_keys
