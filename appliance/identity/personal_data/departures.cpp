#include "appliance/identity/personal_data/departures.h"

#include "appliance/identity/personal_data/records.h"
#include "web/log.h"

namespace personal_data {

web::Result<void> Departures::check_other_admin(const accounts::User& user) const {
  if (!accounts_.is_admin(user)) return {};
  bool has_other = false;
  system_.each(accounts::users, [&](const accounts::User& other) {
    has_other = other.id != user.id && !other.is_disabled && accounts_.is_admin(other);
    return !has_other;
  });
  if (has_other) return {};
  auto refused = web::conflict("This is the last administrator of the box: make another user an administrator first");
  refused.code = "LAST_ADMIN";
  return refused;
}

web::Task<web::Result<bool>> Departures::leave(audit::Actor actor, store::UserId user) {
  const auto leaving = accounts_.find(user);
  if (!leaving) co_return web::not_found("No such user");
  const auto check = [&] { return check_other_admin(*leaving); };
  if (const auto allowed = co_await web::offload(blocking_, check); !allowed) co_return allowed.error();
  if (auto obstacle = data_.obstacle(user)) co_return std::move(*obstacle);

  auto entry = audit::entry_by(actor, "account deleted", leaving->email);
  entry.user_id = user;
  co_await audit_.note(std::move(entry));
  if (!system_.get(departures, user)) {
    auto change = system_.change();
    const Departure departure{.user_id = user, .asked_at = store::now()};
    change.insert(departures, departure);
    co_await change.commit();  // taken: somebody else asked for the same at the same time
  }
  co_return co_await finish(user);
}

web::Task<> Departures::finish_all() {
  std::vector<store::UserId> left;
  system_.each(departures, [&](const Departure& one) {
    left.push_back(one.user_id);
    return true;
  });
  for (const auto user : left) static_cast<void>(co_await finish(user));
}

web::Task<bool> Departures::finish(store::UserId user) {
  {
    const std::lock_guard lock(mutex_);
    if (!finishing_.insert(user).second) co_return false;
  }
  bool is_done = false;
  try {
    const accounts::AdminChange disabled{.password = {}, .is_admin = {}, .is_disabled = true};
    const auto left = co_await accounts_.change_as_admin(user, disabled);
    co_await data_.erase(user);
    if (left) co_await erase_from_audit(*left);
    co_await erase_account(user);
    is_done = true;
  } catch (const std::exception& error) {
    web::log::error("user_not_erased", {{"user", user}, {"reason", std::string(error.what())}});
  }
  const std::lock_guard lock(mutex_);
  finishing_.erase(user);
  co_return is_done;
}

web::Task<> Departures::erase_account(store::UserId user) {
  for (;;) {
    auto change = system_.change();
    if (const auto row = system_.get(accounts::users, user)) change.erase(accounts::users, *row);
    if (const auto row = system_.get(departures, user)) change.erase(departures, *row);
    if ((co_await change.commit()).ok()) co_return;
  }
}

web::Task<> Departures::erase_from_audit(const accounts::User& user) {
  const auto find = [&] { return audit_.concerning(user.id, {user.email}); };
  auto ids = co_await web::offload(blocking_, find);
  co_await audit_.erase_personal_data(std::move(ids));
}

}  // namespace personal_data
