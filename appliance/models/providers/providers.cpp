#include "appliance/models/providers/providers.h"

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/vendor_providers.h"

namespace models {

namespace {

// A local server may first have to load the model, and reads long prompts slowly.
std::chrono::milliseconds first_token_limit(const agentbox::Settings& settings) {
  return 10 * settings.ai_model_timeout;
}

}  // namespace

Providers::Providers(const agentbox::Settings& settings)
    : settings_(settings), from_settings_(configs_of(settings)), configured_(built(from_settings_)) {
  for (const auto name : provider_names) breakers_.try_emplace(std::string(name), name == "local" || name == "builtin");
}

void Providers::configure(const ProviderConfigs& stored) {
  auto configs = from_settings_;
  configs.insert(stored.begin(), stored.end());
  auto next = built(std::move(configs));
  const std::lock_guard lock(mutex_);
  configured_ = std::move(next);
}

std::shared_ptr<const Providers::Configured> Providers::configured() const {
  const std::lock_guard lock(mutex_);
  return configured_;
}

std::shared_ptr<const Providers::Configured> Providers::built(ProviderConfigs configs) const {
  auto built = std::make_shared<Configured>();
  for (const auto& [name, config] : configs) {
    if (name == "local") {
      built->local = std::make_shared<OpenAiProvider>(OpenAiSettings{.name = "local",
                                                                     .base_url = config.base_url,
                                                                     .key = config.key,
                                                                     .default_model = config.default_model,
                                                                     .fallback_model = config.fallback_model,
                                                                     .is_local = true,
                                                                     .timeout = settings_.ai_model_timeout,
                                                                     .first_token = first_token_limit(settings_)});
      built->by_name.emplace(name, built->local);
    } else if (!config.key.empty()) {
      const auto& base_url = config.base_url.empty() ? base_url_of(name, settings_) : config.base_url;
      built->by_name.emplace(name, with_key(name, config.key, base_url, false));
    }
  }
  if (built->by_name.empty() && settings_.ai_builtin) built->by_name.emplace("builtin", std::make_shared<Builtin>());
  built->configs = std::move(configs);
  return built;
}

std::shared_ptr<Provider> Providers::find(std::string_view name) const {
  const auto now = configured();
  const auto found = now->by_name.find(name);
  return found == now->by_name.end() ? nullptr : found->second;
}

std::string Providers::base_url(std::string_view name) const {
  const auto now = configured();
  const auto found = now->configs.find(name);
  if (found != now->configs.end() && !found->second.base_url.empty()) return found->second.base_url;
  return base_url_of(name, settings_);
}

std::shared_ptr<Provider> Providers::with_key(std::string_view name, std::string key, std::string base_url,
                                              bool own_key) const {
  if (name == "anthropic" || name == "google") {
    UpstreamSettings upstream{.name = std::string(name),
                              .base_url = std::move(base_url),
                              .key = std::move(key),
                              .own_key = own_key,
                              .timeout = settings_.ai_model_timeout};
    if (name == "anthropic") return std::make_shared<AnthropicProvider>(std::move(upstream));
    return std::make_shared<GoogleProvider>(std::move(upstream));
  }
  return std::make_shared<OpenAiProvider>(OpenAiSettings{.name = std::string(name),
                                                         .base_url = std::move(base_url),
                                                         .key = std::move(key),
                                                         .own_key = own_key,
                                                         .completion_tokens = name == "openai",
                                                         .timeout = settings_.ai_model_timeout});
}

ProviderBreaker& Providers::breaker(std::string_view name) { return breakers_.find(name)->second; }

}  // namespace models
