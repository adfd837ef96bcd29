// The keys of agents on the bus.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/bus/participant.h"
#include "appliance/network/bus_keys/records.h"
#include "store/store.h"
#include "web/result.h"
#include "web/task.h"

namespace bus_keys {

inline constexpr std::chrono::hours overlap{1};  // a replaced key is valid this much longer
inline constexpr std::size_t max_keys = 20;      // of an agent, replaced ones included

struct NewKey {
  Algorithm algorithm = Algorithm::ed25519;
  std::string public_key;               // ed25519, eip191
  std::optional<std::string> replaces;  // the id of a key of the same algorithm; secrets replace the one before anyhow
};

struct AddedKey {
  Key key;
  std::string secret;  // shown once; empty for public keys
};

// A signature in the form `<scheme>:<value>`.
struct Signature {
  Algorithm algorithm = Algorithm::ed25519;
  std::string bytes;
};
// `ed25519:<base64url>`, `eip191:<0x hex>`, `hmac-sha256:<base64url>`; nothing for anything else.
std::optional<Signature> parse_signature(std::string_view text);
// As in signatures and in the API: "hmac-sha256".
std::string_view name_of(Algorithm);
std::optional<Algorithm> algorithm_named(std::string_view name);

inline web::Error no_such_agent() { return web::not_found("No such agent"); }

// Callable from every thread.
class BusKeys {
 public:
  explicit BusKeys(store::System system) : system_(std::move(system)) {}

  // invalid, naming the field; not_found: no such agent of this owner, or no such key to replace; too_many.
  web::Task<web::Result<AddedKey>> add(store::UserId, std::string agent, NewKey);
  // Valid ones, oldest first; without secrets. not_found when the agent is not this owner's.
  web::Result<std::vector<Key>> list(store::UserId, std::string_view agent) const;
  // At once. not_found.
  web::Task<web::Result<void>> revoke(store::UserId, std::string agent, std::string key);

  // Whether the signature over the text was made with a valid key of the agent: the one that is named, or any of the
  // algorithm. An agent of this box also has the key that follows from its token (runtime/bus_identity.h).
  bool verify(const bus::Participant& agent, const Signature&, std::string_view key, std::string_view text) const;
  // The valid secrets for deliveries to the agent, newest first; the first one is made when it is needed.
  web::Task<std::vector<std::string>> webhook_secrets(store::UserId, std::string agent);
  // Removes all keys of an agent.
  web::Task<> forget(store::UserId, std::string agent);

 private:
  std::vector<Key> valid_keys(store::UserId, std::string_view agent) const;

  store::System system_;
};

}  // namespace bus_keys
