#include "appliance/ai/provider_keys.h"

namespace ai {

std::optional<std::string> ProviderKeys::find(store::UserId user, std::string_view provider) const {
  auto row = system_.tenant(user).get(provider_keys, provider);
  if (!row) return std::nullopt;
  return std::move(row->value.key.clear);
}

web::Task<ProviderKey> ProviderKeys::put(store::UserId user, std::string provider, std::string key) {
  constexpr std::size_t shown = 4;
  const ProviderKey kept{.user_id = user,
                         .id = std::move(provider),
                         .key = {key},
                         .hint = key.substr(key.size() - std::min(shown, key.size())),
                         .updated_at = store::now()};
  for (;;) {
    const auto tenant = system_.tenant(user);
    auto change = tenant.change();
    if (auto row = tenant.get(provider_keys, kept.id)) {
      row->value = kept;
      change.update(provider_keys, *row);
    } else {
      change.insert(provider_keys, kept);
    }
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return kept;
  }
}

web::Task<bool> ProviderKeys::remove(store::UserId user, std::string provider) {
  for (;;) {
    const auto tenant = system_.tenant(user);
    const auto row = tenant.get(provider_keys, provider);
    if (!row) co_return false;
    auto change = tenant.change();
    change.erase(provider_keys, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return true;
  }
}

}  // namespace ai
