#include "appliance/identity/identities/identities.h"

#include <algorithm>

#include "appliance/access/epochs.h"
#include "appliance/foundation/email.h"
#include "appliance/identity/second_factor/second_factor.h"

namespace identities {

namespace {

constexpr std::size_t max_id_bytes = 600, max_name_bytes = 200;

web::Error disabled() { return web::forbidden("This way of signing in is disabled for the account"); }
web::Error method_off() {
  web::Error refused = web::forbidden("This way of signing in is off on this box: use its identity provider");
  refused.code = "SIGN_IN_METHOD_OFF";
  return refused;
}
web::Error signed_out() { return web::unauthenticated("The account was signed out everywhere: please try again"); }

}  // namespace

web::Task<web::Result<accounts::User>> Identities::sign_in(VerifiedIdentity identity, accounts::SessionEpoch since) {
  if (!identity.id.starts_with(only_kind_)) co_return method_off();
  if (identity.id.size() > max_id_bytes) co_return web::invalid("The identity's name is too long");
  if (find(identity.id)) co_return co_await sign_in_known(std::move(identity), since);

  const auto email = agentbox::normalised_email(identity.email);
  if (!email) co_return web::invalid("The identity has no email address");
  if (agentbox::is_reserved_email(*email)) co_return web::forbidden("This email is reserved");
  if (identity.name.size() > max_name_bytes) identity.name.clear();
  auto user = co_await user_for(identity, *email, since);
  if (!user) co_return user.error();
  co_return co_await link(std::move(identity), std::move(*user), since);
}

web::Task<web::Result<accounts::User>> Identities::sign_in_wallet(std::string address, accounts::SessionEpoch since,
                                                                  std::optional<std::string> invite_code) {
  if (!std::string_view("wallet:").starts_with(only_kind_)) co_return method_off();
  VerifiedIdentity identity{.id = "wallet:" + address,
                            .email = address + "@wallet.app",
                            .is_email_verified = true,
                            .name = address,
                            .refresh_token = {},
                            .invite_code = std::move(invite_code)};
  if (find(identity.id)) co_return co_await sign_in_known(std::move(identity), since);
  auto user = co_await user_for(identity, identity.email, since);
  if (!user) co_return user.error();
  co_return co_await link(std::move(identity), std::move(*user), since);
}

// The refresh token is stored only if no sessions were ended until then: a token issued before a revocation must not
// outlive it.
web::Task<web::Result<accounts::User>> Identities::sign_in_known(VerifiedIdentity verified,
                                                                 accounts::SessionEpoch since) {
  for (;;) {
    auto identity = system_.get(identities, verified.id);
    if (!identity || identity->value.is_disabled) co_return disabled();
    auto user = system_.get(accounts::users, identity->value.user_id);
    if (!user || user->value.is_disabled) co_return disabled();
    if (user->value.sessions_since > since) co_return signed_out();
    if (verified.refresh_token.empty()) co_return std::move(user->value);
    identity->value.refresh_token = store::Sealed{verified.refresh_token};
    auto change = system_.change();
    change.require(accounts::users, *user);
    change.update(identities, *identity);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(user->value);
  }
}

web::Task<web::Result<accounts::User>> Identities::user_for(const VerifiedIdentity& identity, std::string email,
                                                            accounts::SessionEpoch since) {
  auto user = accounts_.find_by_email(email);
  if (!user) {
    auto created = co_await accounts_.create_without_password(email, identity.name, identity.is_email_verified,
                                                              identity.invite_code);
    if (created && !created->email_verified && on_unverified_) co_await on_unverified_(created->id);
    if (created || created.error().kind != web::Kind::conflict) co_return created;
    user = accounts_.find_by_email(email);  // created concurrently
  }
  if (!user || !identity.is_email_verified) co_return web::conflict("A user with this email already exists");
  if (user->is_disabled || is_blocked(user->id, identity.id)) co_return disabled();
  if (user->sessions_since > since) co_return signed_out();
  const accounts::Accounts::Also also = [this](const accounts::User& before, store::Change& change) {
    claim(before, change);
    return web::Result<void>();
  };
  const bool is_claim = !user->email_verified;
  auto owner = co_await accounts_.claim(std::move(*user), also);
  if (owner && is_claim) claimed(owner->id);
  co_return owner;
}

web::Task<web::Result<accounts::User>> Identities::link(VerifiedIdentity verified, accounts::User user,
                                                        accounts::SessionEpoch since) {
  const Identity identity{.id = verified.id,
                          .user_id = user.id,
                          .refresh_token = store::Sealed{verified.refresh_token},
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
    // The same identity signed in twice concurrently.
    if (outcome.duplicate("id")) co_return co_await sign_in_known(std::move(verified), since);
  }
}

void Identities::claim(const accounts::User& user, store::Change& change) const {
  const accounts::CredentialEpoch epoch(system_, user.id);
  epoch.require_unchanged(change);
  keys_.remove_all(user.id, change);
  if (user.is_admin) return;
  for (const Identity& identity : of_user(user.id))
    if (const auto row = system_.get(identities, identity.id)) change.erase(identities, *row);
  second_factor::SecondFactor::remove_unconfirmed(system_, user.id, change);
  events_.account_claim.publish(user.id, change);
}

void Identities::claimed(store::UserId user) const { events_.account_claimed.publish(user); }

bool Identities::is_blocked(store::UserId user, std::string_view id) const {
  return std::ranges::any_of(system_.find(blocked_identities, "user", user),
                             [&](const BlockedIdentity& blocked) { return id.starts_with(blocked.kind); });
}

std::optional<Identity> Identities::find(std::string_view id) const {
  auto row = system_.get(identities, std::string(id));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Identity> Identities::of_user(store::UserId user) const { return system_.find(identities, "user", user); }

web::Task<> Identities::set_disabled(store::UserId user, std::string kind, bool is_disabled) {
  const BlockedIdentity blocked{.id = std::to_string(user) + ":" + kind, .user_id = user, .kind = kind};
  const auto row = system_.get(blocked_identities, blocked.id);
  if (is_disabled != row.has_value()) {
    auto change = system_.change();
    if (row)
      change.erase(blocked_identities, *row);
    else
      change.insert(blocked_identities, blocked);
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
