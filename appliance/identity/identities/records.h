// External identities of users.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace identities {

struct Identity {
  std::string
      id;  // provider, a colon, and the name there: "wallet:0x…", "idp:<issuer> <subject>", "codehost:<issuer> <id>"
  std::int64_t user_id = 0;
  store::Sealed refresh_token;  // of the identity provider, for offline access; may be empty
  bool is_disabled = false;     // the provider reported that the account there was hijacked
  store::Time created_at{};
};
BOOST_DESCRIBE_STRUCT(Identity, (), (id, user_id, refresh_token, is_disabled, created_at))

inline const store::Global<Identity> identities{
    {.family = "identities", .number = 5}, &Identity::id, {store::index<Identity>(1, "user", &Identity::user_id)}};

// Sign-in by a kind of identity that the provider has disabled for a user, until it is enabled again. It also blocks
// identities of that kind that are not known yet.
struct BlockedIdentity {
  std::string id;  // user id, a colon, the kind
  std::int64_t user_id = 0;
  std::string kind;  // the prefix of the ids of its identities
};
BOOST_DESCRIBE_STRUCT(BlockedIdentity, (), (id, user_id, kind))

inline const store::Global<BlockedIdentity> blocked_identities{
    {.family = "closed_ways", .number = 65},
    &BlockedIdentity::id,
    {store::index<BlockedIdentity>(1, "user", &BlockedIdentity::user_id)}};

}  // namespace identities
