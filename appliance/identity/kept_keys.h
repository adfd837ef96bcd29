// Derived keys that outlive the master key that they are derived from: what they have signed or named is still out
// there.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <string_view>

#include "store/store.h"

namespace identity {

// Kept once the master key was replaced.
struct KeptKey {
  std::string purpose;
  store::Sealed key;  // in hex
};
BOOST_DESCRIBE_STRUCT(KeptKey, (), (purpose, key))

inline const store::Global<KeptKey, std::string> kept_keys{
    {.family = "kept_keys", .number = 150}, &KeptKey::purpose, {}};

// Signs the audit log's heads; names users to their authenticators.
inline constexpr std::string_view audit_heads_purpose = "audit heads", passkeys_purpose = "passkeys";

// The key that is kept for this purpose, else the one derived from this master key.
std::string lasting_key(const store::System&, std::string_view master_key, std::string_view purpose);
// Keeps the keys of both purposes, derived from this master key, unless they are kept. Blocks.
void keep_keys(const store::System&, std::string_view master_key);

}  // namespace identity
