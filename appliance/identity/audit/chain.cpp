#include "appliance/identity/audit/chain.h"

#include "appliance/foundation/crypto/random.h"

namespace audit {

std::string canonical(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const auto field : fields) {
    text += std::to_string(field.size());
    text += ':';
    text += field;
    text += ',';
  }
  return text;
}

std::string personal_digest(const Entry& entry) {
  return crypto::sha256_hex(canonical({"agentbox audit personal 1", entry.salt, std::to_string(entry.user_id),
                                       entry.subject, entry.address, entry.acting_as}));
}

std::string hash_of(const Entry& entry) {
  return crypto::sha256_hex(canonical({"agentbox audit entry 1", entry.previous, std::to_string(entry.id),
                                       std::to_string(entry.at.time_since_epoch().count()), entry.act, entry.outcome,
                                       entry.by, entry.personal}));
}

void seal(Entry& entry) {
  entry.personal = personal_digest(entry);
  entry.hash = hash_of(entry);
}

}  // namespace audit
