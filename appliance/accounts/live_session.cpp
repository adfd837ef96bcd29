#include "appliance/accounts/live_session.h"

namespace accounts {

web::Result<void> require_session(const store::System& system, const web::Caller& caller, store::Change& change) {
  const auto session = system.get(sessions, caller.credential);
  const auto user = system.get(users, caller.user_id);
  if (!session || !user || session->value.user_id != user->value.id || user->value.is_disabled ||
      !is_live(session->value, user->value))
    return web::unauthenticated();
  change.require(sessions, *session);
  change.require(users, *user);
  return {};
}

}  // namespace accounts
