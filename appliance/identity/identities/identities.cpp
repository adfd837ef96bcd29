#include "appliance/identity/identities/identities.h"

#include <algorithm>

#include "appliance/foundation/email.h"
#include "appliance/identity/accounts/credential_epoch.h"
#include "appliance/identity/second_factor/second_factor.h"

namespace identities {

namespace {

constexpr std::size_t max_id_bytes = 600, max_name_bytes = 200;

web::Error disabled() { return web::forbidden("This way of signing in is disabled for the account"); }
web::Error signed_out() { return web::unauthenticated("The account was signed out everywhere: please try again"); }

}  // namespace

web::Task<web::Result<accounts::User>> Identities::sign_in(Proved proved, accounts::SessionEpoch since) {
  if (proved.id.size() > max_id_bytes) co_return web::invalid("The identity's name is too long");
  if (find(proved.id)) co_return co_await enter(std::move(proved), since);

  const auto email = agentbox::normalised_email(proved.email);
  if (!email) co_return web::invalid("The identity has no email address");
  if (agentbox::is_reserved_email(*email)) co_return web::forbidden("This email is reserved");
  if (proved.name.size() > max_name_bytes) proved.name.clear();
  auto user = co_await user_for(proved, *email, since);
  if (!user) co_return user.error();
  co_return co_await link(std::move(proved), std::move(*user), since);
}

web::Task<web::Result<accounts::User>> Identities::sign_in_wallet(std::string address, accounts::SessionEpoch since) {
  Proved proved{.id = "wallet:" + address,
                .email = address + "@wallet.app",
                .email_is_proved = true,
                .name = address,
                .refresh_token = {}};
  if (find(proved.id)) co_return co_await enter(std::move(proved), since);
  auto user = co_await user_for(proved, proved.email, since);
  if (!user) co_return user.error();
  co_return co_await link(std::move(proved), std::move(*user), since);
}

// Of an identity that is known. The refresh token is kept only if nothing was ended until it is: one that was issued
// before tokens were revoked must not outlive that.
web::Task<web::Result<accounts::User>> Identities::enter(Proved proved, accounts::SessionEpoch since) {
  for (;;) {
    auto identity = system_.get(identities, proved.id);
    if (!identity || identity->value.is_disabled) co_return disabled();
    auto user = system_.get(accounts::users, identity->value.user_id);
    if (!user || user->value.is_disabled) co_return disabled();
    if (user->value.sessions_since > since) co_return signed_out();
    if (proved.refresh_token.empty()) co_return std::move(user->value);
    identity->value.refresh_token = store::Sealed{proved.refresh_token};
    auto change = system_.change();
    change.require(accounts::users, *user);
    change.update(identities, *identity);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(user->value);
  }
}

web::Task<web::Result<accounts::User>> Identities::user_for(const Proved& proved, std::string email,
                                                            accounts::SessionEpoch since) {
  auto user = accounts_.find_by_email(email);
  if (!user) {
    auto created = co_await accounts_.create_without_password(email, proved.name, proved.email_is_proved);
    if (created || created.error().kind != web::Kind::conflict) co_return created;
    user = accounts_.find_by_email(email);  // somebody was quicker
  }
  if (!user || !proved.email_is_proved) co_return web::conflict("A user with this email already exists");
  if (user->is_disabled || is_closed(user->id, proved.id)) co_return disabled();
  if (user->sessions_since > since) co_return signed_out();
  const accounts::Accounts::Also also = [this](const accounts::User& before, store::Change& change) {
    claim(before, change);
    return web::Result<void>();
  };
  const bool changes_hands = !user->email_verified;
  auto owner = co_await accounts_.claim(std::move(*user), also);
  if (owner && changes_hands) claimed(owner->id);
  co_return owner;
}

web::Task<web::Result<accounts::User>> Identities::link(Proved proved, accounts::User user,
                                                        accounts::SessionEpoch since) {
  const Identity identity{.id = proved.id,
                          .user_id = user.id,
                          .refresh_token = store::Sealed{proved.refresh_token},
                          .created_at = store::now()};
  for (;;) {
    const auto row = system_.get(accounts::users, user.id);
    if (!row || row->value.is_disabled) co_return disabled();
    if (row->value.sessions_since != user.sessions_since) co_return signed_out();
    auto change = system_.change();
    change.require(accounts::users, *row);
    accounts::advance_credential_epoch(user.id, change);
    change.insert(identities, identity);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return user;
    // The same identity signed in twice at once.
    if (outcome.duplicate("id")) co_return co_await enter(std::move(proved), since);
  }
}

void Identities::claim(const accounts::User& user, store::Change& change) const {
  const accounts::CredentialEpoch seen(system_, user.id);
  seen.require_unchanged(change);
  keys_.remove_all(user.id, change);
  if (user.is_admin) return;
  for (const Identity& identity : of_user(user.id))
    if (const auto row = system_.get(identities, identity.id)) change.erase(identities, *row);
  second_factor::SecondFactor::remove(system_, user.id, change);
  for (const ClaimObserver& observer : claim_observers_) observer.claim(user.id, change);
}

void Identities::claimed(store::UserId user) const {
  for (const ClaimObserver& observer : claim_observers_)
    if (observer.claimed) observer.claimed(user);
}

bool Identities::is_closed(store::UserId user, std::string_view id) const {
  return std::ranges::any_of(system_.find(blocked_identities, "user", user),
                             [&](const BlockedIdentity& way) { return id.starts_with(way.kind); });
}

std::optional<Identity> Identities::find(std::string_view id) const {
  auto row = system_.get(identities, std::string(id));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Identity> Identities::of_user(store::UserId user) const { return system_.find(identities, "user", user); }

web::Task<> Identities::set_disabled(store::UserId user, std::string kind, bool is_disabled) {
  const BlockedIdentity way{.id = std::to_string(user) + ":" + kind, .user_id = user, .kind = kind};
  const auto row = system_.get(blocked_identities, way.id);
  if (is_disabled != row.has_value()) {
    auto change = system_.change();
    if (row)
      change.erase(blocked_identities, *row);
    else
      change.insert(blocked_identities, way);
    co_await change.commit();
  }
  for (const Identity& identity : of_user(user)) {
    if (!identity.id.starts_with(kind)) continue;
    auto apply = [&](Identity& edited) { edited.is_disabled = is_disabled; };
    co_await system_.modify(identities, identity.id, apply);
  }
}

web::Task<> Identities::forget_refresh_tokens(store::UserId user) {
  for (const Identity& identity : of_user(user)) {
    auto apply = [](Identity& edited) { edited.refresh_token = {}; };
    co_await system_.modify(identities, identity.id, apply);
  }
}

}  // namespace identities
