// The configured providers of this box and their circuit breakers.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/foundation/settings/settings.h"
#include "appliance/models/providers/breaker.h"
#include "appliance/models/providers/openai_provider.h"
#include "appliance/models/providers/provider.h"

namespace models {

inline constexpr std::array<std::string_view, 6> provider_names{"openrouter", "anthropic", "openai",
                                                                "google",     "local",     "builtin"};
// The providers that users can store their own keys for.
inline constexpr std::array<std::string_view, 4> keyed_providers{"openrouter", "anthropic", "openai", "google"};

// Callable from every thread.
class Providers {
 public:
  explicit Providers(const agentbox::Settings&);

  // Null: not configured. The builtin provider counts as configured if no other is, and AI_BUILTIN allows it.
  std::shared_ptr<Provider> find(std::string_view name) const;
  std::shared_ptr<OpenAiProvider> local() const { return local_; }
  bool any() const { return !configured_.empty(); }
  // One of keyed_providers with a user's own key.
  std::shared_ptr<Provider> with_own_key(std::string_view name, std::string key) const {
    return with_key(name, std::move(key), true);
  }
  ProviderBreaker& breaker(std::string_view name);

 private:
  std::shared_ptr<Provider> with_key(std::string_view name, std::string key, bool own_key) const;

  const agentbox::Settings& settings_;
  std::shared_ptr<OpenAiProvider> local_;
  std::map<std::string, std::shared_ptr<Provider>, std::less<>> configured_;
  // One for each of provider_names; the map is constant.
  std::map<std::string, ProviderBreaker, std::less<>> breakers_;
};

}  // namespace models
