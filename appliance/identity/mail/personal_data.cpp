#include "appliance/identity/mail/personal_data.h"

#include "appliance/access/records.h"
#include "appliance/identity/mail/records.h"

namespace mail {

personal_data::Part personal_data_of(const store::System& system, boost::asio::thread_pool& blocking) {
  return {.erase = [system, &blocking](store::UserId user) -> web::Task<> {
    const auto account = system.get(accounts::users, user);
    if (!account) co_return;
    const auto find = [&] {
      std::vector<std::int64_t> ids;
      system.each(mails, [&](const Mail& one) {
        if (one.to == account->value.email) ids.push_back(one.id);
        return true;
      });
      return ids;
    };
    const auto found = co_await web::offload(blocking, find);
    for (const auto id : found) {
      const auto row = system.get(mails, id);
      if (!row) continue;
      auto change = system.change();
      change.erase(mails, *row);
      co_await change.commit(store::Durability::relaxed);
    }
  }};
}

}  // namespace mail
