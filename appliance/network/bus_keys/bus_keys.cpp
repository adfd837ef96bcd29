#include "appliance/network/bus_keys/bus_keys.h"

#include <algorithm>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/base64url.h"
#include "appliance/foundation/crypto/ed25519.h"
#include "appliance/foundation/crypto/ethereum.h"
#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/runtime/bus_identity.h"
#include "store/transact.h"

namespace bus_keys {

namespace {

constexpr std::size_t secret_bytes = 32, public_key_bytes = 32, wallet_signature_digits = 130;
constexpr std::pair<std::string_view, Algorithm> names[] = {{"ed25519", Algorithm::ed25519},
                                                            {"eip191", Algorithm::eip191},
                                                            {"hmac-sha256", Algorithm::hmac_sha256},
                                                            {"webhook", Algorithm::webhook}};

web::Error no_such_key() { return web::not_found("No such key"); }

bool is_secret(Algorithm algorithm) { return algorithm == Algorithm::hmac_sha256 || algorithm == Algorithm::webhook; }

bool is_valid(const Key& key, store::Time now) { return !key.expires_at || *key.expires_at > now; }

// As the owner gets it: of a webhook `whsec_` and base64 (standardwebhooks.com), of hmac_sha256 base64url.
std::string shown_secret(const Key& key) {
  if (key.algorithm == Algorithm::webhook) return "whsec_" + crypto::to_base64(key.secret.clear);
  return crypto::to_base64url(key.secret.clear);
}

// The key as it is stored.
web::Result<std::string> normal_form(Algorithm algorithm, const std::string& given) {
  if (algorithm == Algorithm::eip191) {
    const auto address = crypto::EthereumAddress::parse(given);
    if (!address) return web::invalid("publicKey must be 0x and 40 hex digits; in mixed case with its checksum");
    return address->lower_case();
  }
  const auto bytes = crypto::from_base64url(given);
  if (!bytes || bytes->size() != public_key_bytes)
    return web::invalid("publicKey must be 32 bytes as base64url without padding");
  return given;
}

bool matches(const Key& key, const std::string& signature, std::string_view text) {
  switch (key.algorithm) {
    case Algorithm::ed25519:
      return crypto::verify_ed25519(crypto::from_base64url(key.public_key).value_or(""), text, signature);
    case Algorithm::eip191: {
      const auto signer = crypto::recover_signer(crypto::personal_message_digest(text), signature);
      return signer && signer->lower_case() == key.public_key;
    }
    case Algorithm::hmac_sha256:
      return crypto::constant_time_equal(crypto::hmac_sha256(key.secret.clear, text), signature);
    case Algorithm::webhook:
      break;
  }
  return false;
}

Key generate_key(store::UserId owner, const std::string& agent, Algorithm algorithm) {
  return {.owner = owner,
          .id = "bk_" + crypto::random_id(20),
          .agent = agent,
          .algorithm = algorithm,
          .public_key = {},
          .secret = {is_secret(algorithm) ? crypto::random_bytes(secret_bytes) : std::string()},
          .created_at = store::now(),
          .expires_at = {}};
}

// Adds to the change: the key that `wanted` replaces expires.
web::Result<void> expire_replaced(const store::Tenant& tenant, store::Change& change, const std::vector<Key>& valid,
                                  const NewKey& wanted, store::Time now) {
  bool found = !wanted.replaces;
  for (const auto& key : valid) {
    const bool is_named = wanted.replaces && *wanted.replaces == key.id;
    const bool is_replaced = is_named || (is_secret(wanted.algorithm) && !key.expires_at);
    if (key.algorithm != wanted.algorithm || !is_replaced) continue;
    found = found || is_named;
    auto row = tenant.get(table, key.id);
    if (!row) return no_such_key();
    if (row->value.expires_at) continue;
    row->value.expires_at = now + overlap;
    change.update(table, *row);
  }
  if (!found) return no_such_key();
  return {};
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  return std::ranges::find(names, algorithm, &std::pair<std::string_view, Algorithm>::second)->first;
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  for (const auto& [known, algorithm] : names)
    if (known == name) return algorithm;
  return std::nullopt;
}

std::optional<Signature> parse_signature(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto algorithm = algorithm_named(text.substr(0, colon));
  const auto value = text.substr(colon + 1);
  if (!algorithm || *algorithm == Algorithm::webhook) return std::nullopt;
  if (*algorithm == Algorithm::eip191) {
    if (!value.starts_with("0x") || value.size() != wallet_signature_digits + 2) return std::nullopt;
    auto bytes = crypto::unhex(value.substr(2));
    if (bytes.empty()) return std::nullopt;
    return Signature{*algorithm, std::move(bytes)};
  }
  auto bytes = crypto::from_base64url(value);
  if (!bytes) return std::nullopt;
  return Signature{*algorithm, std::move(*bytes)};
}

std::vector<Key> BusKeys::valid_keys(store::UserId owner, std::string_view agent) const {
  auto found = system_.tenant(owner).find(table, "agent", std::string(agent), max_keys);
  const auto now = store::now();
  std::erase_if(found, [now](const Key& key) { return !is_valid(key, now); });
  std::ranges::stable_sort(found, {}, &Key::created_at);
  return found;
}

web::Task<web::Result<AddedKey>> BusKeys::add(store::UserId owner, std::string agent, NewKey wanted) {
  auto key = generate_key(owner, agent, wanted.algorithm);
  if (!is_secret(wanted.algorithm)) {
    auto normal = normal_form(wanted.algorithm, wanted.public_key);
    if (!normal) co_return normal.error();
    key.public_key = std::move(*normal);
  }
  const auto tenant = system_.tenant(owner);
  const auto step = [&](store::Change& change) -> web::Result<AddedKey> {
    const auto participant = bus::find_participant(system_, owner, agent);
    if (!participant) return no_such_agent();
    change.require(bus::participants, *participant);  // its deletion removes its keys only once
    std::size_t kept = 0;
    for (const auto& stored : tenant.find(table, "agent", agent, max_keys)) {
      const auto row = tenant.get(table, stored.id);
      if (row && !is_valid(row->value, key.created_at))
        change.erase(table, *row);
      else
        ++kept;
    }
    if (kept >= max_keys)
      return web::Error{.kind = web::Kind::too_many,
                        .message = "An agent can have " + std::to_string(max_keys) + " keys: revoke one first."};
    const auto replaced = expire_replaced(tenant, change, valid_keys(owner, agent), wanted, key.created_at);
    if (!replaced) return replaced.error();
    change.insert_new(table, key);
    return AddedKey{.key = key, .secret = is_secret(key.algorithm) ? shown_secret(key) : std::string()};
  };
  co_return co_await store::transact(tenant, step);
}

web::Result<std::vector<Key>> BusKeys::list(store::UserId owner, std::string_view agent) const {
  if (!bus::find_participant(system_, owner, agent)) return no_such_agent();
  auto found = valid_keys(owner, agent);
  for (auto& key : found) key.secret.clear.clear();
  return found;
}

web::Task<web::Result<void>> BusKeys::revoke(store::UserId owner, std::string agent, std::string id) {
  const auto tenant = system_.tenant(owner);
  const auto step = [&](store::Change& change) -> web::Result<void> {
    const auto row = tenant.get(table, id);
    if (!row || row->value.agent != agent) return no_such_key();
    change.erase(table, *row);
    return web::Result<void>();
  };
  co_return co_await store::transact(tenant, step);
}

bool BusKeys::verify(const bus::Participant& agent, const Signature& signature, std::string_view key_id,
                     std::string_view text) const {
  const bool may_be_own = signature.algorithm == Algorithm::ed25519 && !agent.box_token.clear.empty();
  if (may_be_own && (key_id.empty() || key_id == runtime::own_bus_key_id)) {
    const auto own = runtime::own_bus_key(agent.box_token.clear);
    if (crypto::verify_ed25519(own.public_key(), text, signature.bytes)) return true;
  }
  return std::ranges::any_of(valid_keys(agent.owner, agent.id), [&](const Key& key) {
    const bool is_meant = key_id.empty() || key.id == key_id;
    return is_meant && key.algorithm == signature.algorithm && matches(key, signature.bytes, text);
  });
}

web::Task<std::vector<std::string>> BusKeys::webhook_secrets(store::UserId owner, std::string agent) {
  std::vector<std::string> secrets;
  for (auto& key : valid_keys(owner, agent))
    if (key.algorithm == Algorithm::webhook) secrets.insert(secrets.begin(), std::move(key.secret.clear));
  if (!secrets.empty()) co_return secrets;
  NewKey wanted{.algorithm = Algorithm::webhook, .public_key = {}, .replaces = {}};
  auto added = co_await add(owner, std::move(agent), std::move(wanted));
  if (added) secrets.push_back(std::move(added->key.secret.clear));
  co_return secrets;
}

web::Task<> BusKeys::forget(store::UserId owner, std::string agent) {
  const auto tenant = system_.tenant(owner);
  const auto step = [&](store::Change& change) -> bool {
    for (const auto& key : tenant.find(table, "agent", agent))
      if (const auto row = tenant.get(table, key.id)) change.erase(table, *row);
    return true;
  };
  co_await store::transact(tenant, step);
}

}  // namespace bus_keys
