#include "appliance/identity/accounts/last_admin.h"

namespace accounts {

web::Result<void> require_another_admin(const store::System& system, const Accounts& accounts, const User& user,
                                        store::Change& change) {
  std::optional<store::Row<User>> other;
  system.each<User, std::int64_t>(users, [&](const User& candidate) {
    if (candidate.id == user.id || !is_acting_admin(accounts, candidate)) return true;
    other = system.get(users, candidate.id);  // `each` reads an older state
    if (other && !is_acting_admin(accounts, other->value)) other.reset();
    return !other;
  });
  if (!other) {
    web::Error refused =
        web::conflict("This is the last administrator of the box: make another user an administrator first");
    refused.code = "LAST_ADMIN";
    return refused;
  }
  change.require(users, *other);
  return {};
}

}  // namespace accounts
