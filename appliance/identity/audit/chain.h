// The chain of the audit log: each entry has the hash of the one before, so that no entry can be changed, removed from
// the middle or moved without changing all later hashes, of which some are signed (signed_heads.h).
//
// Canonical form of a list of fields: for each field the number of its bytes in decimal, ':', its bytes, ','. Numbers
// are in decimal, times in milliseconds since the epoch.
//   personal = SHA-256("agentbox audit personal 1", salt, user_id, subject, address, acting_as)
//   hash     = SHA-256("agentbox audit entry 1", previous, id, at, act, outcome, by, personal)
// Without its salt a personal digest says nothing about what was hashed: erasing the salt with the data keeps the
// chain.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "appliance/identity/audit/audit.h"

namespace audit {

// `previous` of the first entry: 64 zeros.
inline constexpr std::string_view before_first = "0000000000000000000000000000000000000000000000000000000000000000";

struct ChainPoint {
  std::string name;
  std::int64_t entry_id = 0;
  std::string hash;
};
BOOST_DESCRIBE_STRUCT(ChainPoint, (), (name, entry_id, hash))

inline const std::string end_point = "end";  // the last entry
inline const std::string start_point =
    "start";  // the first entry of the chain, and `before_first`; older ones are not in it
inline const store::Global<ChainPoint, std::string> chain_points{
    {.family = "audit_chain", .number = 19}, &ChainPoint::name, {}};

std::string canonical(std::initializer_list<std::string_view> fields);
std::string personal_digest(const Entry&);
std::string hash_of(const Entry&);  // from entry.personal, not from the personal data
// Sets `personal` and `hash` from all other fields.
void seal(Entry&);

}  // namespace audit
