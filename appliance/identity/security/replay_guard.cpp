#include "appliance/identity/security/replay_guard.h"

#include "appliance/foundation/crypto/random.h"
#include "store/erase_range.h"

namespace security {

namespace {

std::string id_of(std::string_view kind, std::string_view text) {
  return std::string(kind) + ":" + crypto::sha256_hex(text);
}

}  // namespace

bool ReplayGuard::is_used(std::string_view kind, std::string_view text) const {
  return system_.get(used_once, id_of(kind, text)).has_value();
}

web::Task<bool> ReplayGuard::use(std::string kind, std::string text, store::Time until) {
  const Used used{.id = id_of(kind, text), .expires_at = until};
  auto change = system_.change();
  change.insert(used_once, used);
  const auto outcome = co_await change.commit();
  co_return outcome.ok();
}

web::Task<> ReplayGuard::sweep(store::Time now) {
  return store::erase_range(system_, used_once, "expires", store::Time{}, now);
}

}  // namespace security
