#include "appliance/identity/identities/personal_data.h"

#include "appliance/identity/identities/records.h"
#include "appliance/identity/personal_data/archive.h"
#include "appliance/identity/personal_data/exported.h"

namespace identities {

namespace {

constexpr std::size_t most = 1'000;

template <class R>
web::Task<> erase(store::System system, const store::Global<R>& table, store::UserId user) {
  for (;;) {
    auto change = system.change();
    const auto found = system.find(table, "user", user, most);
    if (found.empty()) co_return;
    for (const R& record : found)
      if (const auto row = system.get(table, record.id)) change.erase(table, *row);
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace

personal_data::Part personal_data_of(const store::System& system) {
  return {.erase = [system](store::UserId user) -> web::Task<> {
            co_await erase(system, identities, user);
            co_await erase(system, blocked_identities, user);
          },
          .write = [system](store::UserId user, personal_data::Archive& archive) -> web::Task<> {
            std::string lines;
            for (const Identity& one : system.find(identities, "user", user, most))
              lines += boost::json::serialize(personal_data::exported(one)) + "\n";
            if (!lines.empty()) co_await archive.add("identities.jsonl", std::move(lines));
          }};
}

}  // namespace identities
