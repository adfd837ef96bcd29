#include "appliance/hosting/credentials/credentials.h"

#include <algorithm>
#include <cstdio>

#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/credentials/binding.h"

namespace credentials {

namespace {

bool is_taken(const std::vector<Credential>& all, const Credential& wanted) {
  return std::ranges::any_of(
      all, [&wanted](const Credential& one) { return one.name == wanted.name && one.id != wanted.id; });
}

web::Error name_taken() { return web::conflict("There is a credential of that name"); }

}  // namespace

std::vector<Credential> Credentials::list(store::UserId user) const {
  auto all = system_.tenant(user).list(table, store::Page{.limit = max_credentials});
  std::ranges::sort(all, {}, &Credential::name);
  return all;
}

std::vector<Credential> Credentials::of_agent(store::UserId user, std::string_view agent) const {
  auto all = list(user);
  std::erase_if(all, [agent](const Credential& one) {
    return !one.agents.empty() && std::ranges::find(one.agents, agent) == one.agents.end();
  });
  return all;
}

std::vector<Use> Credentials::uses(store::UserId user, std::size_t limit) const {
  return system_.tenant(user).list(credentials::uses, store::Page{.limit = limit, .newest_first = true});
}

web::Task<web::Result<Credential>> Credentials::add(store::UserId user, Credential credential) {
  if (auto checked = check(credential); !checked) co_return checked.error();
  const auto all = list(user);
  if (all.size() >= max_credentials)
    co_return web::Error{.kind = web::Kind::too_many, .message = "There are 100 credentials: remove some"};
  if (is_taken(all, credential)) co_return name_taken();
  credential.owner = user;
  credential.id = "cr_" + crypto::random_id(20);
  credential.created_at = credential.updated_at = store::now();
  auto change = system_.tenant(user).change();
  change.insert(table, credential);
  co_await change.commit();
  co_return credential;
}

web::Task<web::Result<Credential>> Credentials::change(store::UserId user, std::string id, Credential wanted) {
  const auto row = system_.tenant(user).get(table, id);
  if (!row) co_return web::not_found("No such credential");
  if (wanted.secret.clear.empty()) wanted.secret = row->value.secret;
  wanted.owner = user;
  wanted.id = id;
  wanted.created_at = row->value.created_at;
  wanted.updated_at = store::now();
  if (auto checked = check(wanted); !checked) co_return checked.error();
  if (is_taken(list(user), wanted)) co_return name_taken();
  const auto replace = [&wanted](Credential& stored) { stored = wanted; };
  std::function<void(Credential&)> edit = replace;
  auto changed = co_await system_.tenant(user).modify(table, std::move(id), std::move(edit));
  if (!changed) co_return web::not_found("No such credential");
  co_return std::move(*changed);
}

web::Task<web::Result<Credential>> Credentials::remove(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto row = tenant.get(table, id);
  if (!row) co_return web::not_found("No such credential");
  auto change = tenant.change();
  change.erase(table, *row);
  co_await change.commit();
  co_return row->value;
}

web::Task<> Credentials::note(Use use) {
  use.at = store::now();
  char milliseconds[16];
  std::snprintf(milliseconds, sizeof milliseconds, "%013lld",
                static_cast<long long>(use.at.time_since_epoch().count()));
  use.id = std::string(milliseconds) + "-" + crypto::random_id(8);
  const auto user = use.owner;
  const auto tenant = system_.tenant(user);
  auto change = tenant.change();
  change.insert(credentials::uses, use);
  std::int64_t added = 1;
  if (tenant.counter(use_count) >= max_uses)
    for (const auto& old : tenant.list(credentials::uses, store::Page{.limit = 10}))
      if (const auto row = tenant.get(credentials::uses, old.id)) {
        change.erase(credentials::uses, *row);
        --added;
      }
  change.add(user, use_count, added);
  co_await change.commit(store::Durability::relaxed);
}

}  // namespace credentials
