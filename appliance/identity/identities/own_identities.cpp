#include "appliance/identity/identities/own_identities.h"

#include <algorithm>

#include "appliance/foundation/crypto/random.h"

namespace identities {

namespace {

constexpr std::size_t handle_length = 16;

web::Error unknown() { return web::not_found("No such identity"); }

web::Error is_last() {
  return web::conflict(
      "This is the only way to sign in to your account: set a password (\"Forgotten your password?\" on the sign-in "
      "page), or sign in another way first");
}

}  // namespace

std::vector<Identity> OwnIdentities::list(store::UserId user) const {
  auto found = system_.find(identities, "user", user);
  std::ranges::stable_sort(found, {}, &Identity::created_at);
  return found;
}

std::string OwnIdentities::handle(const Identity& identity) {
  return crypto::sha256_hex(identity.id).substr(0, handle_length);
}

web::Task<web::Result<void>> OwnIdentities::disconnect(audit::Actor actor, std::string named,
                                                       second_factor::StepUpProof proof) {
  const auto own = list(actor.caller.user_id);
  const auto found = std::ranges::find(own, named, handle);
  if (found == own.end()) co_return unknown();
  auto entry = audit::entry_by(actor, "identity disconnected", found->id);
  const auto proven = co_await second_factor::step_up(accounts_, sessions_, factor_, actor.caller, std::move(proof));
  web::Result<void> done;
  if (proven)
    done = co_await remove(actor.caller.user_id, found->id);
  else
    done = proven.error();
  if (!done) entry.outcome = done.error().message;
  const bool is_challenge = !done && done.error().code == "SECOND_FACTOR_REQUIRED";  // not an attempt
  if (!is_challenge) co_await audit_.note(std::move(entry));
  co_return done;
}

// The change depends on what remains to sign in with, so that of two at once one fails.
web::Task<web::Result<void>> OwnIdentities::remove(store::UserId user, std::string id) const {
  for (;;) {
    const auto account = system_.get(accounts::users, user);
    const auto row = system_.get(identities, id);
    if (!account || !row || row->value.user_id != user) co_return unknown();
    auto change = system_.change();
    change.erase(identities, *row);
    if (accounts_.has_password(account->value)) {
      change.require(accounts::users, *account);
    } else {
      const auto own = list(user);
      const auto other = std::ranges::find_if(
          own, [&id](const Identity& identity) { return identity.id != id && !identity.is_disabled; });
      if (other == own.end()) co_return is_last();
      const auto remaining = system_.get(identities, other->id);
      if (!remaining || remaining->value.is_disabled) continue;
      change.require(identities, *remaining);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return web::Result<void>();
  }
}

}  // namespace identities
