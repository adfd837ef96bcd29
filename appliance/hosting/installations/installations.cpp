#include "appliance/hosting/installations/installations.h"

namespace installations {

web::Task<Installation> Installations::register_one(std::string user_id, Mode mode) {
  for (;;) {
    auto change = system_.change();
    Installation registered{.user_id = user_id, .mode = mode, .registered_at = store::now(), .last_seen = store::now()};
    if (auto row = system_.get(table, user_id)) {
      registered.registered_at = row->value.registered_at;
      row->value = registered;
      change.update(table, *row);
    } else {
      change.insert(table, registered);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return registered;
  }
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
