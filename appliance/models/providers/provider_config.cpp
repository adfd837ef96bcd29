#include "appliance/models/providers/provider_config.h"

#include <algorithm>

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

constexpr std::size_t shortest_key = 8, longest_name = 20;

const Place* place_of(std::string_view name) {
  const auto* const found = std::ranges::find(places, name, &Place::name);
  return found == places.end() ? nullptr : found;
}

}  // namespace

bool is_server_name(std::string_view name) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_part = [&](char c) { return is_small(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= longest_name && is_small(name.front()) && std::ranges::all_of(name, is_part) &&
         std::ranges::count(provider_names, name) == 0;
}

std::optional<std::string> key_problem(std::string_view provider, const Settings& settings) {
  const auto* place = place_of(provider);
  if (!place || (settings.*place->key).empty() || (settings.*place->key).size() >= shortest_key) return std::nullopt;
  return std::string(place->setting) + " is too short: keys have at least " + std::to_string(shortest_key) +
         " characters, so this provider is not used.";
}

ProviderConfigs configs_of(const Settings& settings) {
  ProviderConfigs configs;
  if (!settings.local_model_url.empty())
    configs["local"] = {.base_url = settings.local_model_url,
                        .key = settings.local_api_key,
                        .default_model = settings.local_model,
                        .fallback_model = settings.local_fallback_model};
  for (const Place& place : places)
    if (const auto& key = settings.*place.key; key.size() >= shortest_key)
      configs[std::string(place.name)] = {
          .base_url = settings.*place.base_url, .key = key, .default_model = {}, .fallback_model = {}};
  return configs;
}

std::string_view setting_of(std::string_view provider) {
  if (provider == "local") return "LOCAL_MODEL_URL";
  const auto* place = place_of(provider);
  return place ? place->setting : std::string_view();
}

std::string base_url_of(std::string_view provider, const Settings& settings) {
  const auto* place = place_of(provider);
  return place ? settings.*place->base_url : std::string();
}

}  // namespace models
