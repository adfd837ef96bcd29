#include "appliance/identities/identities.h"

#include <algorithm>

#include "appliance/accounts/email.h"
#include "appliance/second_factor/second_factor.h"

namespace identities {

namespace {

constexpr std::size_t max_id_bytes = 600, max_name_bytes = 200;

web::Error disabled() { return web::forbidden("This way of signing in is disabled for the account"); }

}  // namespace

web::Task<web::Result<accounts::User>> Identities::sign_in(Proved proved) {
  if (proved.id.size() > max_id_bytes) co_return web::invalid("The identity's name is too long");
  if (auto known = find(proved.id)) co_return co_await enter(std::move(*known), std::move(proved.refresh_token));

  const auto email = accounts::normalised_email(proved.email);
  if (!email) co_return web::invalid("The identity has no email address");
  if (accounts::is_reserved_email(*email)) co_return web::forbidden("This email is reserved");
  if (proved.name.size() > max_name_bytes) proved.name.clear();
  auto user = co_await user_for(proved, *email);
  if (!user) co_return user.error();
  co_return co_await link(std::move(proved), std::move(*user));
}

web::Task<web::Result<accounts::User>> Identities::sign_in_wallet(std::string address) {
  Proved proved{.id = "wallet:" + address,
                .email = address + "@wallet.app",
                .email_is_proved = true,
                .name = address,
                .refresh_token = {}};
  if (auto known = find(proved.id)) co_return co_await enter(std::move(*known), {});
  auto user = co_await user_for(proved, proved.email);
  if (!user) co_return user.error();
  co_return co_await link(std::move(proved), std::move(*user));
}

web::Task<web::Result<accounts::User>> Identities::enter(Identity identity, std::string refresh_token) {
  if (identity.is_disabled) co_return disabled();
  auto user = accounts_.find(identity.user_id);
  if (!user || user->is_disabled) co_return disabled();
  if (!refresh_token.empty()) {
    auto apply = [&](Identity& edited) {
      if (!edited.is_disabled) edited.refresh_token = store::Sealed{refresh_token};
    };
    const auto kept = co_await system_.modify(identities, identity.id, apply);
    if (!kept || kept->is_disabled) co_return disabled();
  }
  co_return std::move(*user);
}

web::Task<web::Result<accounts::User>> Identities::user_for(const Proved& proved, std::string email) {
  auto user = accounts_.find_by_email(email);
  if (!user) {
    auto created = co_await accounts_.create_without_password(email, proved.name, proved.email_is_proved);
    if (created || created.error().kind != web::Kind::conflict) co_return created;
    user = accounts_.find_by_email(email);  // somebody was quicker
  }
  if (!user || !proved.email_is_proved) co_return web::conflict("A user with this email already exists");
  if (user->is_disabled || is_closed(user->id, proved.id)) co_return disabled();
  const auto before = *user;
  auto owned = co_await accounts_.hand_to_owner(std::move(*user));
  if (owned && !before.email_verified && !before.is_admin) co_await hand_over(before);
  co_return owned;
}

web::Task<> Identities::hand_over(const accounts::User& user) {
  co_await remove_keys(user.id);
  if (user.is_admin) co_return;
  co_await remove_identities(user.id);
  co_await second_factor::SecondFactor::forget(system_, user.id);
}

bool Identities::is_closed(store::UserId user, std::string_view id) const {
  return std::ranges::any_of(system_.find(closed_ways, "user", user),
                             [&](const ClosedWay& way) { return id.starts_with(way.kind); });
}

web::Task<web::Result<accounts::User>> Identities::link(Proved proved, accounts::User user) {
  const Identity identity{.id = proved.id,
                          .user_id = user.id,
                          .refresh_token = store::Sealed{proved.refresh_token},
                          .created_at = store::now()};
  auto change = system_.change();
  change.insert(identities, identity);
  const auto outcome = co_await change.commit();
  if (outcome.ok()) co_return user;
  auto known = find(proved.id);  // the same identity signed in twice at once
  if (!known) co_return web::unavailable("Please try again");
  co_return co_await enter(std::move(*known), {});
}

std::optional<Identity> Identities::find(std::string_view id) const {
  auto row = system_.get(identities, std::string(id));
  if (!row) return std::nullopt;
  return std::move(row->value);
}

std::vector<Identity> Identities::of_user(store::UserId user) const { return system_.find(identities, "user", user); }

web::Task<> Identities::set_disabled(store::UserId user, std::string kind, bool is_disabled) {
  const ClosedWay way{.id = std::to_string(user) + ":" + kind, .user_id = user, .kind = kind};
  const auto row = system_.get(closed_ways, way.id);
  if (is_disabled != row.has_value()) {
    auto change = system_.change();
    if (row)
      change.erase(closed_ways, *row);
    else
      change.insert(closed_ways, way);
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

web::Task<> Identities::remove_keys(store::UserId user) {
  for (const auto& key : keys_.list(user)) {
    const auto removed = co_await keys_.remove(user, key.id);
    if (!removed && removed.error().kind != web::Kind::not_found) throw std::runtime_error(removed.error().message);
  }
}

web::Task<> Identities::remove_identities(store::UserId user) {
  for (const Identity& identity : of_user(user)) {
    const auto row = system_.get(identities, identity.id);
    if (!row) continue;
    auto change = system_.change();
    change.erase(identities, *row);
    co_await change.commit();
  }
}

}  // namespace identities
