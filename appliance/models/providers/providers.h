// The configured providers of this box and their circuit breakers.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/models/providers/breaker.h"
#include "appliance/models/providers/openai_provider.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/provider_config.h"

namespace models {

// Callable from every thread.
class Providers {
 public:
  explicit Providers(const agentbox::Settings&);

  // Replaces what is configured besides the settings. A provider that the settings configure stays as it is, except
  // for bills_after_disconnect, max_concurrent and queue_weights. Calls in progress keep the provider they have.
  void configure(const ProviderConfigs& stored);
  bool is_set_by_settings(std::string_view name) const { return from_settings_.contains(name); }

  // Null: not configured. The builtin provider counts as configured if no other is, and AI_BUILTIN allows it.
  std::shared_ptr<Provider> find(std::string_view name) const;
  std::shared_ptr<OpenAiProvider> local() const { return configured()->local; }
  // Further OpenAI-compatible servers, by name. `server` is null for another name.
  std::vector<std::shared_ptr<OpenAiProvider>> servers() const;
  std::shared_ptr<OpenAiProvider> server(std::string_view name) const;
  // provider_names, and the names of the further servers.
  std::vector<std::string> names() const;
  bool any() const { return !configured()->by_name.empty(); }
  // The address of a configured provider; for keyed ones also if they are not, since users may have keys.
  std::string base_url(std::string_view name) const;
  // One of keyed_providers with a user's own key.
  std::shared_ptr<Provider> with_own_key(std::string_view name, std::string key) const {
    return with_key(name, std::move(key), base_url(name), true);
  }
  // Why the settings' key of a provider is not used.
  std::optional<std::string> key_problem(std::string_view name) const { return models::key_problem(name, settings_); }
  // False for providers that are not configured.
  bool bills_after_disconnect(std::string_view name) const;
  // ProviderConfig::max_concurrent; 0 for providers that are not configured.
  std::size_t max_concurrent(std::string_view name) const;
  // ProviderConfig::queue_weights.
  std::vector<std::int64_t> queue_weights(std::string_view name) const;
  ProviderBreaker& breaker(std::string_view name) const;

 private:
  struct Configured {
    ProviderConfigs configs;
    std::shared_ptr<OpenAiProvider> local;
    std::map<std::string, std::shared_ptr<Provider>, std::less<>> by_name;
    std::map<std::string, std::shared_ptr<OpenAiProvider>, std::less<>> servers;
  };
  std::shared_ptr<const Configured> configured() const;
  std::shared_ptr<const Configured> built(ProviderConfigs) const;
  std::shared_ptr<Provider> with_key(std::string_view name, std::string key, std::string base_url, bool own_key) const;

  const agentbox::Settings& settings_;
  const ProviderConfigs from_settings_;
  mutable std::mutex mutex_;  // protects configured_ and breakers_, whose members stay where they are
  std::shared_ptr<const Configured> configured_;
  mutable std::map<std::string, ProviderBreaker, std::less<>> breakers_;
};

}  // namespace models
