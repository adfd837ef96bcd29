#include "appliance/models/administration/handlers.h"

#include <algorithm>

#include "appliance/models/administration/provider_test.h"
#include "web/routes/reply.h"

namespace models::administration {

namespace {

std::optional<std::string> if_any(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

ProviderView view(const Services& services, std::string_view name) {
  auto& providers = services.gateway.providers();
  ProviderView shown{.provider = std::string(name),
                     .configured = providers.find(name) != nullptr,
                     .setting = name == "builtin" ? "AI_BUILTIN" : std::string(setting_of(name))};
  shown.circuit = providers.breaker(name).whole().state(Breaker::Clock::now());
  if (name == "builtin") {
    shown.source = shown.configured ? Source::settings : Source::none;
    return shown;
  }
  if (shown.configured && name == "local") {
    const auto local = providers.local();
    if (local) {
      shown.model = if_any(local->default_model());
      shown.fallbackModel = if_any(local->fallback_model());
    }
  }
  if (name != "local" || shown.configured) shown.baseUrl = if_any(providers.base_url(name));
  if (providers.is_set_by_settings(name)) {
    shown.source = Source::settings;
  } else if (const auto stored = services.stored.find(shown.provider)) {
    shown.source = Source::stored;
    shown.keyHint = if_any(stored->hint);
    shown.updatedAt = stored->updated_at;
  }
  return shown;
}

FoundServers view(const Services& services, const LocalServers::Result& found) {
  FoundServers shown{.servers = {}, .probedAt = found.probed_at};
  const auto& providers = services.gateway.providers();
  const auto in_use = providers.local() ? providers.base_url("local") : std::string();
  for (const auto& server : found.servers)
    shown.servers.push_back({server.kind, server.base_url, server.models, server.base_url == in_use});
  return shown;
}

}  // namespace

web::Answer list_providers(const Services& services, const web::Request&) {
  ProviderList answer;
  for (const auto name : provider_names) answer.providers.push_back(view(services, name));
  answer.found = view(services, services.local_servers.last());
  co_return web::reply(answer, 200);
}

web::Answer put_provider(const Services& services, const web::Request& request, ProviderBody body) {
  ProviderChange change{.provider = std::move(body.provider)};
  change.base_url = std::move(body.baseUrl);
  change.key = std::move(body.key);
  change.model = std::move(body.model);
  change.fallback_model = std::move(body.fallbackModel);
  const std::string name = change.provider;
  const auto stored = co_await services.stored.put(std::move(change));
  auto entry = audit::of_request(request, "model provider set by admin", name);
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  co_return web::reply(view(services, name), 200);
}

web::Answer remove_provider(const Services& services, const web::Request& request) {
  RemovedProvider answer{.provider = request.param("name")};
  const bool removed = co_await services.stored.remove(answer.provider);
  if (!removed) co_return web::not_found("No such provider has been set at run time");
  auto entry = audit::of_request(request, "model provider removed by admin", answer.provider);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

web::Answer try_provider(const Services& services, const web::Request& request, TestBody body) {
  const auto& name = request.param("name");
  if (std::ranges::count(provider_names, name) == 0) co_return web::not_found("No such provider");
  const auto provider = services.gateway.providers().find(name);
  if (!provider) co_return web::conflict("The provider " + name + " is not configured");
  const auto catalogue = services.gateway.catalogues().current();
  std::string model = body.model.value_or("");
  const auto tested = co_await test_provider(*provider, *catalogue, std::move(model));
  TestView answer{.success = !tested.failure,
                  .provider = name,
                  .model = tested.model,
                  .latencyMs = tested.latency.count(),
                  .firstTokenMs = {},
                  .answer = {},
                  .error = {},
                  .code = {}};
  if (tested.first_token) answer.firstTokenMs = tested.first_token->count();
  if (tested.failure) {
    answer.error = tested.failure->message;
    answer.code = std::string(to_string(tested.failure->fault));
  } else {
    answer.answer = tested.answer;
    services.gateway.providers().breaker(name).whole().succeeded();
  }
  co_return web::reply(answer, 200);
}

web::Answer probe(const Services& services, const web::Request&) {
  const auto found = co_await services.local_servers.probe();
  co_return web::reply(view(services, found), 200);
}

}  // namespace models::administration
