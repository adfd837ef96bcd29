#include "appliance/models/administration/stored_providers.h"

#include <algorithm>

#include "web/client/fetch_url.h"

namespace models {

namespace {

constexpr std::size_t shown = 4, fewest = 8;

bool is_keyed(std::string_view provider) { return std::ranges::count(keyed_providers, provider) > 0; }

// A base address, without slashes at its end.
web::Result<std::string> address_of(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  if (text.empty()) return text;
  const auto url = web::parse_fetch_url(text);
  if (!url || text.find_first_of("?#") != std::string::npos)
    return web::invalid(
        "baseUrl must be an http or https address without credentials, such as http://127.0.0.1:11434/v1");
  return text;
}

std::optional<web::Error> refuse_key(const std::string& key, bool is_optional) {
  // The key is sent as a header.
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7F; };
  if (is_optional ? std::ranges::all_of(key, is_visible) : key.size() >= fewest && std::ranges::all_of(key, is_visible))
    return std::nullopt;
  return web::invalid(is_optional ? "key must be visible ASCII characters without spaces"
                                  : "key must be at least 8 visible ASCII characters without spaces");
}

}  // namespace

void StoredProviders::apply() {
  const std::lock_guard lock(applying_);
  ProviderConfigs configs;
  system_.each<StoredProvider, std::string>(stored_providers, [&](const StoredProvider& stored) {
    configs[stored.id] = {.base_url = stored.base_url,
                          .key = stored.key.clear,
                          .default_model = stored.model,
                          .fallback_model = stored.fallback_model,
                          .bills_after_disconnect = stored.bills_after_disconnect,
                          .max_concurrent = static_cast<std::size_t>(stored.max_concurrent),
                          .queue_weights = stored.queue_weights};
    return true;
  });
  providers_.configure(configs);
}

std::optional<StoredProvider> StoredProviders::find(const std::string& provider) const {
  auto row = system_.get(stored_providers, provider);
  return row ? std::optional(std::move(row->value)) : std::nullopt;
}

web::Result<StoredProvider> StoredProviders::changed(const std::optional<StoredProvider>& before,
                                                     const ProviderChange& change) const {
  StoredProvider stored = before.value_or(StoredProvider{.id = change.provider});
  const bool is_local = change.provider == "local", is_server = is_server_name(change.provider);
  const bool is_keyed_provider = !is_local && !is_server;
  if (change.base_url) {
    auto address = address_of(*change.base_url);
    if (!address) return address.error();
    // Otherwise whoever may change the address could read the key.
    if (*address != stored.base_url && !stored.key.clear.empty() && !change.key)
      return web::invalid("key is required with another baseUrl");
    stored.base_url = std::move(*address);
  }
  if (change.key) {
    if (auto refused = refuse_key(*change.key, !is_keyed_provider)) return std::move(*refused);
    stored.key.clear = *change.key;
    stored.hint = change.key->substr(change.key->size() - std::min(shown, change.key->size()));
  }
  if (is_keyed_provider && change.model) return web::invalid("model is for the local and further servers only");
  if (!is_local && change.fallback_model) return web::invalid("fallbackModel is for the local server only");
  if (change.model) stored.model = *change.model;
  if (change.fallback_model) stored.fallback_model = *change.fallback_model;
  if (change.bills_after_disconnect) stored.bills_after_disconnect = *change.bills_after_disconnect;
  if (change.max_concurrent) stored.max_concurrent = *change.max_concurrent;
  if (change.queue_weights) stored.queue_weights = *change.queue_weights;
  const bool is_set = providers_.is_set_by_settings(change.provider);
  if (!is_set && !is_keyed_provider && stored.base_url.empty()) return web::invalid("baseUrl is required");
  if (!is_set && is_keyed_provider && stored.key.clear.empty()) return web::invalid("key is required");
  stored.updated_at = store::now();
  return stored;
}

web::Task<web::Result<StoredProvider>> StoredProviders::put(ProviderChange change) {
  if (change.provider != "local" && !is_keyed(change.provider) && !is_server_name(change.provider))
    co_return web::invalid(
        "provider must be openrouter, anthropic, openai, google, local, or the name of a further server: a small "
        "letter, then at most 19 small letters, digits and hyphens");
  if (providers_.is_set_by_settings(change.provider) && (change.is_about_settings() || !change.is_beside_settings())) {
    auto refused = web::conflict(std::string(setting_of(change.provider)) +
                                 " is set in the settings of the box, which decide: remove it there first");
    refused.code = "SET_BY_SETTINGS";
    co_return refused;
  }
  for (;;) {
    auto row = system_.get(stored_providers, change.provider);
    auto stored = changed(row ? std::optional(row->value) : std::nullopt, change);
    if (!stored) co_return stored.error();
    auto write = system_.change();
    if (row) {
      row->value = *stored;
      write.update(stored_providers, *row);
    } else {
      write.insert(stored_providers, *stored);
    }
    const auto outcome = co_await write.commit();
    if (!outcome.ok()) continue;
    apply();
    providers_.breaker(change.provider).whole().succeeded();
    co_return stored;
  }
}

web::Task<bool> StoredProviders::remove(std::string provider) {
  for (;;) {
    const auto row = system_.get(stored_providers, provider);
    if (!row) co_return false;
    auto change = system_.change();
    change.erase(stored_providers, *row);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    apply();
    co_return true;
  }
}

}  // namespace models
