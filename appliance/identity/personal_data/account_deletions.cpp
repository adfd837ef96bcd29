#include "appliance/identity/personal_data/account_deletions.h"

#include "appliance/identity/accounts/last_admin.h"
#include "appliance/identity/personal_data/records.h"
#include "store/transact.h"
#include "web/log.h"

namespace personal_data {

// AccountDeletions are the one way in which an account goes: an administrator's needs another one to stay.
web::Task<web::Result<void>> AccountDeletions::record(accounts::User user) {
  const Departure departure{.user_id = user.id, .asked_at = store::now()};
  while (!system_.get(account_deletions, user.id)) {
    auto change = system_.change();
    if (accounts_.is_admin(user)) {
      const auto another = accounts::require_another_admin(system_, accounts_, user, change);
      if (!another) co_return another.error();
      // At once, so that the other administrator, who may be leaving as well, is then the last one.
      if (auto row = system_.get(accounts::users, user.id)) {
        row->value.is_disabled = true;
        change.update(accounts::users, *row);
      }
    }
    change.insert(account_deletions, departure);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
  }
  co_return web::Result<void>();
}

web::Task<web::Result<bool>> AccountDeletions::leave(audit::Actor actor, store::UserId user) {
  const auto leaving = accounts_.find(user);
  if (!leaving) co_return web::not_found("No such user");
  if (auto obstacle = data_.obstacle(user)) co_return std::move(*obstacle);
  if (const auto recorded = co_await record(*leaving); !recorded) co_return recorded.error();
  auto entry = audit::entry_by(actor, "account deleted", leaving->email);
  entry.user_id = user;
  co_await audit_.note(std::move(entry));
  co_return co_await finish(user);
}

web::Task<> AccountDeletions::finish_all() {
  std::vector<store::UserId> left;
  system_.each(account_deletions, [&](const Departure& one) {
    left.push_back(one.user_id);
    return true;
  });
  for (const auto user : left) static_cast<void>(co_await finish(user));
}

web::Task<bool> AccountDeletions::finish(store::UserId user) {
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

web::Task<> AccountDeletions::erase_account(store::UserId user) {
  const auto step = [&](store::Change& change) -> bool {
    if (const auto row = system_.get(accounts::users, user)) change.erase(accounts::users, *row);
    if (const auto row = system_.get(account_deletions, user)) change.erase(account_deletions, *row);
    return true;
  };
  co_await store::transact(system_, step);
}

web::Task<> AccountDeletions::erase_from_audit(const accounts::User& user) {
  const auto find = [&] { return audit_.concerning(user.id, {user.email}); };
  auto ids = co_await web::offload(blocking_, find);
  co_await audit_.erase_personal_data(std::move(ids));
}

}  // namespace personal_data
