// The configured providers of this box and their circuit breakers.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "appliance/models/providers/breaker.h"
#include "appliance/models/providers/openai_provider.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/provider_config.h"

namespace models {

// Callable from every thread.
class Providers {
 public:
  explicit Providers(const agentbox::Settings&);

  // Replaces what is configured besides the settings. A provider that the settings configure stays as it is. Calls in
  // progress keep the provider they have.
  void configure(const ProviderConfigs& stored);
  bool is_set_by_settings(std::string_view name) const { return from_settings_.contains(name); }

  // Null: not configured. The builtin provider counts as configured if no other is, and AI_BUILTIN allows it.
  std::shared_ptr<Provider> find(std::string_view name) const;
  std::shared_ptr<OpenAiProvider> local() const { return configured()->local; }
  bool any() const { return !configured()->by_name.empty(); }
  // The address of a configured provider; for keyed ones also if they are not, since users may have keys.
  std::string base_url(std::string_view name) const;
  // One of keyed_providers with a user's own key.
  std::shared_ptr<Provider> with_own_key(std::string_view name, std::string key) const {
    return with_key(name, std::move(key), base_url(name), true);
  }
  ProviderBreaker& breaker(std::string_view name);

 private:
  struct Configured {
    ProviderConfigs configs;
    std::shared_ptr<OpenAiProvider> local;
    std::map<std::string, std::shared_ptr<Provider>, std::less<>> by_name;
  };
  std::shared_ptr<const Configured> configured() const;
  std::shared_ptr<const Configured> built(ProviderConfigs) const;
  std::shared_ptr<Provider> with_key(std::string_view name, std::string key, std::string base_url, bool own_key) const;

  const agentbox::Settings& settings_;
  const ProviderConfigs from_settings_;
  mutable std::mutex mutex_;  // protects configured_
  std::shared_ptr<const Configured> configured_;
  // One for each of provider_names; the map is constant.
  std::map<std::string, ProviderBreaker, std::less<>> breakers_;
};

}  // namespace models
