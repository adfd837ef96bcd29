// Ways in besides the password: who somebody is elsewhere.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace identities {

struct Identity {
  std::string
      id;  // where, a colon, and the name there: "wallet:0x…", "idp:<issuer> <subject>", "codehost:<issuer> <id>"
  std::int64_t user_id = 0;
  store::Sealed refresh_token;  // of the identity provider, for access while the user is away; may be empty
  bool is_disabled = false;     // the provider says that the account there was taken over
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(Identity, (), (id, user_id, refresh_token, is_disabled, created_at))

inline const store::Global<Identity> identities{
    {.family = "identities", .number = 5}, &Identity::id, {store::index<Identity>(1, "user", &Identity::user_id)}};

// A way in that the provider had closed: identities of that kind do not open the account until it is opened again, also
// those that were never seen before.
struct BlockedIdentity {
  std::string id;  // user id, a colon, the kind
  std::int64_t user_id = 0;
  std::string kind;  // how the ids of its identities begin
};
BOOST_DESCRIBE_STRUCT(BlockedIdentity, (), (id, user_id, kind))

inline const store::Global<BlockedIdentity> blocked_identities{
    {.family = "closed_ways", .number = 65},
    &BlockedIdentity::id,
    {store::index<BlockedIdentity>(1, "user", &BlockedIdentity::user_id)}};

}  // namespace identities
