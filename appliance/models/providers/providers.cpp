#include "appliance/models/providers/providers.h"

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/vendor_providers.h"

namespace models {

namespace {

struct Place {
  std::string_view name;
  std::string agentbox::Settings::*key;
  std::string agentbox::Settings::*base_url;
};

constexpr std::array<Place, 4> places{
    Place{"openrouter", &agentbox::Settings::openrouter_api_key, &agentbox::Settings::openrouter_base_url},
    Place{"anthropic", &agentbox::Settings::anthropic_api_key, &agentbox::Settings::anthropic_base_url},
    Place{"openai", &agentbox::Settings::openai_api_key, &agentbox::Settings::openai_base_url},
    Place{"google", &agentbox::Settings::google_api_key, &agentbox::Settings::google_base_url}};

// A local server may first have to load the model, and reads long prompts slowly.
std::chrono::milliseconds first_token_limit(const agentbox::Settings& settings) {
  return 10 * settings.ai_model_timeout;
}

}  // namespace

Providers::Providers(const agentbox::Settings& settings) : settings_(settings) {
  for (const auto name : provider_names) breakers_.try_emplace(std::string(name), name == "local" || name == "builtin");
  if (!settings.local_model_url.empty()) {
    local_ = std::make_shared<OpenAiProvider>(OpenAiSettings{.name = "local",
                                                             .base_url = settings.local_model_url,
                                                             .key = settings.local_api_key,
                                                             .default_model = settings.local_model,
                                                             .fallback_model = settings.local_fallback_model,
                                                             .is_local = true,
                                                             .timeout = settings.ai_model_timeout,
                                                             .first_token = first_token_limit(settings)});
    configured_.emplace("local", local_);
  }
  for (const auto& place : places)
    if (const auto& key = settings.*place.key; !key.empty())
      configured_.emplace(place.name, with_key(place.name, key, false));
  if (configured_.empty() && settings.ai_builtin) configured_.emplace("builtin", std::make_shared<Builtin>());
}

std::shared_ptr<Provider> Providers::find(std::string_view name) const {
  const auto found = configured_.find(name);
  return found == configured_.end() ? nullptr : found->second;
}

std::shared_ptr<Provider> Providers::with_key(std::string_view name, std::string key, bool own_key) const {
  for (const auto& place : places) {
    if (place.name != name) continue;
    if (name == "anthropic" || name == "google") {
      UpstreamSettings upstream{.name = std::string(name),
                                .base_url = settings_.*place.base_url,
                                .key = std::move(key),
                                .own_key = own_key,
                                .timeout = settings_.ai_model_timeout};
      if (name == "anthropic") return std::make_shared<AnthropicProvider>(std::move(upstream));
      return std::make_shared<GoogleProvider>(std::move(upstream));
    }
    return std::make_shared<OpenAiProvider>(OpenAiSettings{.name = std::string(name),
                                                           .base_url = settings_.*place.base_url,
                                                           .key = std::move(key),
                                                           .own_key = own_key,
                                                           .completion_tokens = name == "openai",
                                                           .timeout = settings_.ai_model_timeout});
  }
  throw std::logic_error("there is no provider " + std::string(name) + " with a key");
}

ProviderBreaker& Providers::breaker(std::string_view name) { return breakers_.find(name)->second; }

}  // namespace models
