#include "appliance/access/keys.h"

#include <openssl/crypto.h>

#include <algorithm>

#include "appliance/access/epochs.h"
#include "appliance/access/issued_keys.h"
#include "appliance/access/key_scopes.h"
#include "appliance/access/records.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/trusted_time.h"
#include "store/transact.h"

namespace keys {

namespace {

constexpr std::string_view key_prefix = "sk_";
constexpr std::size_t random_id_length = 12, secret_length = 48;

const store::CounterName key_count{"api_keys"};

struct KeyParts {
  store::UserId owner;
  std::string_view id, secret;
};

// Nothing unless the key is exactly sk_<owner>k<12>_<48>.
std::optional<KeyParts> split(std::string_view key) {
  if (!key.starts_with(key_prefix)) return std::nullopt;
  key.remove_prefix(key_prefix.size());
  const auto dash = key.find('_');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto id = key.substr(0, dash), secret = key.substr(dash + 1);
  const auto mark = id.find('k');
  if (mark == std::string_view::npos || id.size() != mark + 1 + random_id_length) return std::nullopt;
  if (secret.size() != secret_length) return std::nullopt;
  const auto owner = accounts::parse_user_id(id.substr(0, mark));
  if (!owner) return std::nullopt;
  return KeyParts{*owner, id, secret};
}

Created new_key(store::UserId user, std::string name) {
  const std::string secret = crypto::random_id(secret_length);
  Created created{.key = {.user_id = user,
                          .id = std::to_string(user) + "k" + crypto::random_id(random_id_length),
                          .name = std::move(name),
                          .secret_hash = crypto::sha256_hex(secret),
                          .created_at = store::now()},
                  .secret = {}};
  created.key.prefix = std::string(key_prefix) + created.key.id;
  created.secret = created.key.prefix + "_" + secret;
  return created;
}

// In constant time. The length of digests is not secret.
bool is_same_digest(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace

web::Task<web::Result<Created>> Keys::create(web::Caller caller, std::string name,
                                             std::optional<store::Time> expires_at,
                                             std::optional<std::int64_t> monthly_budget,
                                             std::optional<std::vector<std::string>> tools) {
  const store::UserId user = caller.user_id;
  auto created = new_key(user, std::move(name));
  created.key.expires_at = expires_at;
  created.key.monthly_budget = monthly_budget;
  created.key.tools = std::move(tools);
  for (;;) {
    auto change = system_.change();
    const auto session = accounts::advance_credential_epoch(system_, caller, change);
    if (!session) co_return session.error();
    change.insert(api_keys, created.key);
    change.add(user, key_count, 1, keys_per_user);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) break;
    if (outcome.kind == store::Outcome::Kind::over_bound) {
      co_return web::Error{.kind = web::Kind::too_many,
                           .message = "There are " + std::to_string(keys_per_user) + " keys already: delete one first"};
    }
    if (outcome.kind != store::Outcome::Kind::stale) throw std::logic_error("a random key id was taken");
  }
  co_return created;
}

Created add_for_tools(store::Change& change, store::UserId user, std::string name, store::Time expires_at,
                      std::vector<std::string> tools) {
  auto created = new_key(user, std::move(name));
  created.key.expires_at = expires_at;
  created.key.tools = std::move(tools);
  accounts::advance_credential_epoch(user, change);
  change.insert(api_keys, created.key);
  change.insert(key_scopes::key_scopes, key_scopes::KeyScopes{.user_id = user, .id = created.key.id});
  change.add(user, key_count, 1, keys_per_user);
  return created;
}

bool erase(const store::System& system, store::UserId user, std::string_view id, store::Change& change) {
  const auto row = system.tenant(user).get(api_keys, id);
  if (!row) return false;
  change.erase(api_keys, *row);
  key_scopes::erase(system, user, id, change);
  change.add(user, key_count, -1);
  return true;
}

std::vector<ApiKey> Keys::list(store::UserId user) const {
  auto found = system_.tenant(user).list(api_keys, store::Page{.limit = keys_per_user});
  std::ranges::stable_sort(found, std::ranges::greater(), &ApiKey::created_at);
  return found;
}

std::shared_ptr<const ApiKey> Keys::find(store::UserId user, std::string_view id) const {
  return system_.tenant(user).cached(api_keys, id);
}

web::Task<web::Result<void>> Keys::remove(store::UserId user, std::string id) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(api_keys, id);
    if (!row) return web::not_found("No such key");
    change.erase(api_keys, *row);
    key_scopes::erase(system_, user, id, change);
    change.add(user, key_count, -1);
    return web::Result<void>();
  };
  co_return co_await store::transact(tenant, step);
}

void Keys::remove_all(store::UserId user, store::Change& change) const {
  const auto tenant = system_.tenant(user);
  std::int64_t removed = 0;
  for (const ApiKey& key : list(user)) {
    const auto row = tenant.get(api_keys, key.id);
    if (!row) continue;
    change.erase(api_keys, *row);
    key_scopes::erase(system_, user, key.id, change);
    ++removed;
  }
  change.add(user, key_count, -removed);
}

std::optional<Valid> Keys::validate(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  auto key = find(parts->owner, parts->id);
  if (!key || !is_same_digest(key->secret_hash, crypto::sha256_hex(parts->secret))) return std::nullopt;
  const auto now = store::now();
  if (key->expires_at && *key->expires_at <= agentbox::trusted_now()) return std::nullopt;
  auto user = system_.cached(accounts::users, parts->owner);
  if (!user || user->is_disabled) return std::nullopt;
  if (!key->last_used_at || now - *key->last_used_at >= std::chrono::minutes(1)) {
    const std::scoped_lock lock(mutex_);
    uses_[{parts->owner, key->id}] = now;
  }
  return Valid{std::move(key), std::move(user)};
}

web::Task<> Keys::flush_uses() {
  decltype(uses_) uses;
  {
    const std::scoped_lock lock(mutex_);
    uses.swap(uses_);
  }
  for (const auto& [name, at] : uses) {
    auto row = system_.get(api_keys, name.first, name.second);
    if (!row) continue;
    row->value.last_used_at = at;
    auto change = system_.change();
    change.update(api_keys, *row);
    // Stale: the key is being deleted, or another use was written. Either way this one is not needed.
    co_await change.commit(store::Durability::relaxed);
    co_await boost::asio::post(co_await boost::asio::this_coro::executor, web::use_task);  // yield to other tasks
  }
}

}  // namespace keys
