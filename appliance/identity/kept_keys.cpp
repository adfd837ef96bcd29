#include "appliance/identity/kept_keys.h"

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"

namespace identity {

std::string lasting_key(const store::System& system, std::string_view master_key, std::string_view purpose) {
  const auto kept = system.get(kept_keys, std::string(purpose));
  return kept ? crypto::unhex(kept->value.key.clear) : crypto::derived_key(master_key, purpose);
}

void keep_keys(const store::System& system, std::string_view master_key) {
  auto change = system.change();
  for (const auto purpose : {audit_heads_purpose, passkeys_purpose}) {
    if (system.get(kept_keys, std::string(purpose))) continue;
    change.insert(kept_keys,
                  {.purpose = std::string(purpose), .key = {crypto::hex(crypto::derived_key(master_key, purpose))}});
  }
  change.commit_blocking();
}

}  // namespace identity
