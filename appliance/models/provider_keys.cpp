#include "appliance/models/provider_keys.h"

#include <algorithm>

#include "appliance/access/epochs.h"
#include "appliance/models/providers/providers.h"
#include "store/transact.h"

namespace models {

bool ProviderKeys::has_in_use(store::UserId user, std::string_view provider) const {
  const auto tenant = system_.tenant(user);
  const auto names = in_use_.get(user, tenant.version(provider_keys), [&tenant] {
    auto found = std::make_optional<Names>();
    for (auto& key : tenant.list(provider_keys))
      if (!key.is_set_aside) found->push_back(std::move(key.id));
    return found;
  });
  return std::ranges::count(*names, provider) > 0;
}

std::optional<std::string> ProviderKeys::find(store::UserId user, std::string_view provider) const {
  if (!has_in_use(user, provider)) return std::nullopt;
  auto row = system_.tenant(user).get(provider_keys, provider);
  if (!row || row->value.is_set_aside) return std::nullopt;
  return std::move(row->value.key.clear);
}

web::Task<web::Result<ProviderKey>> ProviderKeys::put(web::Caller caller, std::string provider, std::string key) {
  constexpr std::size_t shown = 4, fewest = 8;
  if (std::ranges::count(keyed_providers, provider) == 0)
    co_return web::invalid("provider must be one of: openrouter, anthropic, openai, google");
  // The key is sent as a header.
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7F; };
  if (key.size() < fewest || !std::ranges::all_of(key, is_visible))
    co_return web::invalid("key must be at least 8 visible ASCII characters without spaces");
  const ProviderKey kept{.user_id = caller.user_id,
                         .id = std::move(provider),
                         .key = {key},
                         .hint = key.substr(key.size() - std::min(shown, key.size())),
                         .updated_at = store::now()};
  const auto step = [&](store::Change& change) -> web::Result<ProviderKey> {
    const auto is_in = accounts::advance_credential_epoch(system_, caller, change);
    if (!is_in) return is_in.error();
    if (auto row = system_.get(provider_keys, kept.user_id, kept.id)) {
      row->value = kept;
      change.update(provider_keys, *row);
    } else {
      change.insert(provider_keys, kept);
    }
    return kept;
  };
  co_return co_await store::transact(system_, step);
}

web::Task<bool> ProviderKeys::remove(store::UserId user, std::string provider) {
  const auto tenant = system_.tenant(user);
  const auto step = [&](store::Change& change) -> bool {
    const auto row = tenant.get(provider_keys, provider);
    if (!row) return false;
    change.erase(provider_keys, *row);
    return true;
  };
  co_return co_await store::transact(tenant, step);
}

void ProviderKeys::remove_all(store::System system, store::UserId user, store::Change& change) {
  const auto tenant = system.tenant(user);
  for (const auto provider : keyed_providers)
    if (const auto row = tenant.get(provider_keys, provider)) change.erase(provider_keys, *row);
}

web::Task<> ProviderKeys::disable(store::UserId user) { return set_all(user, true); }
web::Task<> ProviderKeys::enable(store::UserId user) { return set_all(user, false); }

web::Task<> ProviderKeys::set_all(store::UserId user, bool aside) {
  for (;;) {
    const auto tenant = system_.tenant(user);
    auto change = tenant.change();
    for (const auto provider : keyed_providers) {
      auto row = tenant.get(provider_keys, provider);
      if (!row || row->value.is_set_aside == aside) continue;
      row->value.is_set_aside = aside;
      change.update(provider_keys, *row);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return;
  }
}

}  // namespace models
