#include "appliance/hosting/installations/installations.h"

#include "appliance/access/records.h"
#include "store/transact.h"

namespace installations {

web::Task<web::Result<Installation>> Installations::register_one(std::string user_id, Mode mode) {
  const auto user = accounts::parse_user_id(user_id);
  if (!user || !system_.get(accounts::users, *user)) co_return web::not_found("No such user");
  const auto step = [&](store::Change& change) -> web::Result<Installation> {
    Installation registered{.user_id = user_id, .mode = mode, .registered_at = store::now(), .last_seen = store::now()};
    if (auto row = system_.get(table, user_id)) {
      registered.registered_at = row->value.registered_at;
      row->value = registered;
      change.update(table, *row);
    } else {
      change.insert(table, registered);
    }
    return registered;
  };
  co_return co_await store::transact(system_, step);
}

web::Task<> Installations::record_heartbeat(std::string user_id) {
  auto row = system_.get(table, user_id);
  if (!row) co_return;
  row->value.last_seen = store::now();
  auto change = system_.change();
  change.update(table, *row);
  // A conflict means that a concurrent heartbeat was written.
  co_await change.commit(store::Durability::relaxed);
}

std::vector<Installation> Installations::list(std::string_view after, std::size_t limit) const {
  std::vector<Installation> found;
  system_.each<Installation, std::string>(table, [&](const Installation& installation) {
    if (installation.user_id > after) found.push_back(installation);
    return found.size() < limit;
  });
  return found;
}

}  // namespace installations
