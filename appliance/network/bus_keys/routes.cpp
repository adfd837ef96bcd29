
#include "appliance/network/bus_keys/handlers.h"

namespace bus_keys {

namespace {

const web::RateLimit keys_rate{.group = "bus-keys", .limit = 60};

constexpr auto list_text =
    "Valid keys, oldest first. `own` is the key with which an agent of this box signs what it sends itself; it is "
    "replaced together with the agent's token. A replaced key has `expiresAt`.";

constexpr auto add_text =
    "`algorithm` is ed25519 (`publicKey`: 32 bytes as base64url), eip191 (`publicKey`: a wallet's address), "
    "hmac-sha256 "
    "or webhook. For the latter two the box makes a secret, returns it once as `secret`, and replaces the one before; "
    "with hmac-sha256 the agent signs what it sends, with webhook the box signs what it delivers "
    "(standardwebhooks.com). "
    "`replaces` names a key of the same algorithm. A replaced key is valid for another hour. 429 beyond 20 keys.";

constexpr auto revoke_text =
    "Takes effect at once. keyId and agentId are in the body or, without a body, in the query.";

std::vector<web::Route> rows(const web::Guard& readers, const web::Guard& writers, const web::Bind<Services>& on,
                             OwnerOf owner_of) {
  return {
      {web::GET, "/api/underground/keys", readers, &keys_rate,
       web::query<KeysQuery>(on(list_keys, owner_of)).returns<KeyList>().describe(list_text),
       "List an agent's keys on the bus"},
      {web::POST, "/api/underground/keys", writers, &keys_rate,
       web::body<AddRequest>(on(add_key, owner_of)).returns<AddAnswer>(201).describe(add_text),
       "Register or make a key of an agent"},
      {web::DELETE, "/api/underground/keys", writers, &keys_rate,
       web::body_or_query<RevokeRequest>(on(revoke_key, owner_of)).returns<RevokeAnswer>().describe(revoke_text),
       "Revoke a key of an agent"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(guards.session, guards.session, on, caller);
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return rows(guards.backend.agents, guards.backend.agents_secrets, on, owner_of_agent);
}

}  // namespace bus_keys
