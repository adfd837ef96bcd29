// What is configured of a provider: in the settings, or at run time.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "appliance/foundation/settings/settings.h"

namespace models {

inline constexpr std::array<std::string_view, 6> provider_names{"openrouter", "anthropic", "openai",
                                                                "google",     "local",     "builtin"};
// The providers that have keys, those of users as well as the box's.
inline constexpr std::array<std::string_view, 4> keyed_providers{"openrouter", "anthropic", "openai", "google"};

struct ProviderConfig {
  std::string base_url;                       // empty: that of the settings, or their default
  std::string key;                            // secret; local: may be empty
  std::string default_model, fallback_model;  // local only
};

// By provider: keyed ones, and local.
using ProviderConfigs = std::map<std::string, ProviderConfig, std::less<>>;

// The providers that the settings configure.
ProviderConfigs configs_of(const agentbox::Settings&);
// The setting that decides about a provider: its key, or the local server's address.
std::string_view setting_of(std::string_view provider);
// The address of a keyed provider according to the settings.
const std::string& base_url_of(std::string_view provider, const agentbox::Settings&);

}  // namespace models
