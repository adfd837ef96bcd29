#include "appliance/models/providers/providers.h"

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/providers/vendor_providers.h"
#include "web/log.h"

namespace models {

namespace {

// A local server may first have to load the model, and reads long prompts slowly.
std::chrono::milliseconds first_token_limit(const agentbox::Settings& settings) {
  return 10 * settings.ai_model_timeout;
}

}  // namespace

Providers::Providers(const agentbox::Settings& settings)
    : settings_(settings), from_settings_(configs_of(settings)), configured_(built(from_settings_)) {
  for (const auto name : keyed_providers)
    if (const auto problem = key_problem(name))
      web::log::warning("provider_not_used", {{"provider", std::string(name)}, {"reason", *problem}});
}

void Providers::configure(const ProviderConfigs& stored) {
  auto configs = from_settings_;
  for (const auto& [name, config] : stored) {
    const auto [place, is_new] = configs.emplace(name, config);
    if (is_new) continue;
    place->second.bills_after_disconnect = config.bills_after_disconnect;
    place->second.max_concurrent = config.max_concurrent;
    place->second.queue_weights = config.queue_weights;
  }
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
    if (is_server_name(name)) {
      auto server = std::make_shared<OpenAiProvider>(OpenAiSettings{.name = name,
                                                                    .base_url = config.base_url,
                                                                    .key = config.key,
                                                                    .default_model = config.default_model,
                                                                    .is_local = true,
                                                                    .timeout = settings_.ai_model_timeout,
                                                                    .first_token = first_token_limit(settings_)});
      built->servers.emplace(name, server);
      built->by_name.emplace(name, std::move(server));
    } else if (name == "local") {
      if (config.base_url.empty()) continue;
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
      const auto base_url = config.base_url.empty() ? base_url_of(name, settings_) : config.base_url;
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
                                                         .is_openai = name == "openai",
                                                         .timeout = settings_.ai_model_timeout});
}

bool Providers::bills_after_disconnect(std::string_view name) const {
  const auto now = configured();
  const auto found = now->configs.find(name);
  return found != now->configs.end() && found->second.bills_after_disconnect;
}

std::size_t Providers::max_concurrent(std::string_view name) const {
  const auto now = configured();
  const auto found = now->configs.find(name);
  return found == now->configs.end() ? 0 : found->second.max_concurrent;
}

std::vector<std::int64_t> Providers::queue_weights(std::string_view name) const {
  const auto now = configured();
  const auto found = now->configs.find(name);
  return found == now->configs.end() ? std::vector<std::int64_t>() : found->second.queue_weights;
}

ProviderBreaker& Providers::breaker(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const bool is_one_machine = name == "local" || name == "builtin" || is_server_name(name);
  return breakers_.try_emplace(std::string(name), is_one_machine).first->second;
}

std::vector<std::shared_ptr<OpenAiProvider>> Providers::servers() const {
  std::vector<std::shared_ptr<OpenAiProvider>> all;
  for (const auto& [name, server] : configured()->servers) all.push_back(server);
  return all;
}

std::shared_ptr<OpenAiProvider> Providers::server(std::string_view name) const {
  const auto now = configured();
  const auto found = now->servers.find(name);
  return found == now->servers.end() ? nullptr : found->second;
}

std::vector<std::string> Providers::names() const {
  std::vector<std::string> names(provider_names.begin(), provider_names.end());
  for (const auto& [name, server] : configured()->servers) names.push_back(name);
  return names;
}

}  // namespace models
