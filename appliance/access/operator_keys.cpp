#include "appliance/access/operator_keys.h"

#include <algorithm>
#include <set>

#include "appliance/foundation/crypto/random.h"
#include "store/transact.h"

namespace operator_keys {

namespace {

constexpr std::string_view key_prefix = "op_";
constexpr std::size_t id_length = 12, secret_length = 48, longest_name = 40;

bool is_name(std::string_view text) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, is_allowed);
}

std::string names_of_scopes() {
  std::string names;
  for (const auto name : all_scopes) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::optional<web::Error> problem(const NewOperatorKey& given) {
  if (!is_name(given.name)) return web::invalid("name must be 1 to 40 lower-case letters, digits, '.', '-' and '_'");
  if (given.scopes.empty()) return web::invalid("scopes must name at least one of: " + names_of_scopes());
  std::set<std::string_view> seen;
  for (const auto& scope : given.scopes) {
    if (std::ranges::find(all_scopes, scope) == std::end(all_scopes))
      return web::invalid("scopes must be among: " + names_of_scopes());
    if (!seen.insert(scope).second) return web::invalid("scopes must not contain " + scope + " twice");
  }
  if (given.expires_at && *given.expires_at <= store::now()) return web::invalid("the key must expire in the future");
  return std::nullopt;
}

}  // namespace

bool OperatorKey::has(std::string_view scope) const { return std::ranges::find(scopes, scope) != scopes.end(); }

bool is_operator_key(std::string_view text) {
  return text.size() == key_prefix.size() + id_length + 1 + secret_length && text.starts_with(key_prefix) &&
         text[key_prefix.size() + id_length] == '_';
}

web::Task<web::Result<Created>> OperatorKeys::create(NewOperatorKey given) {
  if (auto wrong = problem(given)) co_return std::move(*wrong);
  const std::string secret = crypto::random_id(secret_length);
  Created created{.key = {.id = crypto::random_id(id_length),
                          .name = std::move(given.name),
                          .secret_hash = crypto::sha256_hex(secret),
                          .scopes = std::move(given.scopes),
                          .created_by = std::move(given.created_by),
                          .created_at = store::now(),
                          .last_used_at = {},
                          .expires_at = given.expires_at},
                  .secret = {}};
  created.secret = std::string(key_prefix) + created.key.id + "_" + secret;
  auto change = system_.change();
  change.insert(operator_keys, created.key);
  const auto outcome = co_await change.commit();
  if (outcome.duplicate("name"))
    co_return web::Error{.kind = web::Kind::conflict,
                         .message = "There is an operator key " + created.key.name + " already: revoke it first"};
  if (!outcome.ok()) throw std::logic_error("a random key id was taken");
  co_return created;
}

std::vector<OperatorKey> OperatorKeys::list() const {
  std::vector<OperatorKey> all;
  system_.each(operator_keys, [&](const OperatorKey& key) {
    all.push_back(key);
    return true;
  });
  std::ranges::sort(all, {}, &OperatorKey::name);
  return all;
}

web::Task<web::Result<void>> OperatorKeys::revoke(std::string name) {
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = system_.find_unique(operator_keys, "name", name);
    if (!row) return web::not_found("No such operator key");
    change.erase(operator_keys, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(system_, step);
}

std::shared_ptr<const OperatorKey> OperatorKeys::validate(std::string_view text) {
  if (!is_operator_key(text)) return nullptr;
  const std::string id(text.substr(key_prefix.size(), id_length));
  const auto secret = text.substr(key_prefix.size() + id_length + 1);
  auto key = system_.cached(operator_keys, id);
  if (!key || !crypto::constant_time_equal(key->secret_hash, crypto::sha256_hex(secret))) return nullptr;
  const auto now = store::now();
  if (key->expires_at && *key->expires_at <= now) return nullptr;
  if (!key->last_used_at || now - *key->last_used_at >= std::chrono::minutes(1)) {
    const std::scoped_lock lock(mutex_);
    uses_[id] = now;
  }
  return key;
}

web::Task<> OperatorKeys::flush_uses() {
  decltype(uses_) uses;
  {
    const std::scoped_lock lock(mutex_);
    uses.swap(uses_);
  }
  for (const auto& [id, at] : uses) {
    auto row = system_.get(operator_keys, id);
    if (!row) continue;
    row->value.last_used_at = at;
    auto change = system_.change();
    change.update(operator_keys, *row);
    // Stale: the key is being revoked, or another use was written. Either way this one is not needed.
    co_await change.commit(store::Durability::relaxed);
  }
}

}  // namespace operator_keys
