#include "appliance/models/providers/provider_config.h"

#include <algorithm>
#include <stdexcept>

namespace models {

namespace {

using agentbox::Settings;

struct Place {
  std::string_view name, setting;
  std::string Settings::*key;
  std::string Settings::*base_url;
};

constexpr std::array<Place, 4> places{
    Place{"openrouter", "OPENROUTER_API_KEY", &Settings::openrouter_api_key, &Settings::openrouter_base_url},
    Place{"anthropic", "ANTHROPIC_API_KEY", &Settings::anthropic_api_key, &Settings::anthropic_base_url},
    Place{"openai", "OPENAI_API_KEY", &Settings::openai_api_key, &Settings::openai_base_url},
    Place{"google", "GOOGLE_API_KEY", &Settings::google_api_key, &Settings::google_base_url}};

const Place& place_of(std::string_view name) {
  const auto* const found = std::ranges::find(places, name, &Place::name);
  if (found == places.end()) throw std::logic_error("there is no provider " + std::string(name) + " with a key");
  return *found;
}

}  // namespace

ProviderConfigs configs_of(const Settings& settings) {
  ProviderConfigs configs;
  if (!settings.local_model_url.empty())
    configs["local"] = {.base_url = settings.local_model_url,
                        .key = settings.local_api_key,
                        .default_model = settings.local_model,
                        .fallback_model = settings.local_fallback_model};
  for (const Place& place : places)
    if (const auto& key = settings.*place.key; !key.empty())
      configs[std::string(place.name)] = {
          .base_url = settings.*place.base_url, .key = key, .default_model = {}, .fallback_model = {}};
  return configs;
}

std::string_view setting_of(std::string_view provider) {
  return provider == "local" ? "LOCAL_MODEL_URL" : place_of(provider).setting;
}

const std::string& base_url_of(std::string_view provider, const Settings& settings) {
  return settings.*place_of(provider).base_url;
}

}  // namespace models
