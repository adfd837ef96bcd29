#include "appliance/models/administration/handlers.h"

#include <algorithm>

#include "appliance/models/administration/provider_test.h"
#include "web/routes/reply.h"

namespace models::administration {

namespace {

std::optional<std::string> if_any(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

constexpr std::size_t max_models_shown = 200;

// Not an error: not every server lists its models.
web::Task<std::vector<std::string>> listed_models(Provider& provider) {
  std::vector<std::string> names;
  const auto listed = co_await provider.models();
  if (!listed) co_return names;
  for (const auto& model : *listed)
    if (names.size() < max_models_shown) names.push_back(model.id);
  co_return names;
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
  if (const auto server = providers.server(name)) shown.model = if_any(server->default_model());
  if (name != "local" || shown.configured) shown.baseUrl = if_any(providers.base_url(name));
  shown.billsAfterDisconnect = providers.bills_after_disconnect(name);
  shown.maxConcurrent = static_cast<std::int64_t>(providers.max_concurrent(name));
  if (const auto weights = providers.queue_weights(name); weights.size() == 4)
    shown.queueWeights = {.label = weights[0], .solo = weights[1], .collective = weights[2], .network = weights[3]};
  const auto queues = services.gateway.queues().states();
  if (const auto queue = queues.find(shown.provider); queue != queues.end()) {
    shown.slots = static_cast<std::int64_t>(queue->second.slots);
    shown.running = static_cast<std::int64_t>(queue->second.running);
    shown.waiting = static_cast<std::int64_t>(queue->second.waiting);
  }
  shown.problem = providers.key_problem(name);
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

web::Answer list_providers(const Services& services, const web::Request&) {
  ProviderList answer;
  for (const auto& name : services.gateway.providers().names()) answer.providers.push_back(view(services, name));
  answer.found = view(services, services.local_servers.last());
  co_return web::reply(answer, 200);
}

web::Answer put_provider(const Services& services, const web::Request& request, ProviderBody body) {
  ProviderChange change{.provider = std::move(body.provider)};
  change.base_url = std::move(body.baseUrl);
  change.key = std::move(body.key);
  change.model = std::move(body.model);
  change.fallback_model = std::move(body.fallbackModel);
  change.bills_after_disconnect = body.billsAfterDisconnect;
  if (body.maxConcurrent) change.max_concurrent = *body.maxConcurrent;
  if (const auto& weights = body.queueWeights) {
    change.queue_weights.emplace();
    for (const auto* weight : {&weights->label, &weights->solo, &weights->collective, &weights->network})
      change.queue_weights->push_back(*weight ? (*weight)->value : 1);
  }
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
  if (std::ranges::count(services.gateway.providers().names(), name) == 0) co_return web::not_found("No such provider");
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
                  .code = {},
                  .models = {}};
  answer.models = co_await listed_models(*provider);
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

constexpr const char* list_text =
    "`source` is `settings` if the setting named by `setting` configures the provider, and `stored` if an "
    "administrator "
    "did at run time. `found` has the model servers that were seen on this machine; none is used unless it is "
    "configured.";
constexpr const char* put_text =
    "Takes effect at once and stays. `key` is stored sealed and never shown again; omitted members keep their values. "
    "Other names than those of the list are further servers with an OpenAI-compatible API, any number of them; their "
    "models are named <provider>/<model>. `baseUrl` is required for these and for `local`, whose `model` is the "
    "default and whose `fallbackModel` answers if that fails. "
    "Of `maxConcurrent` requests the provider works on at once, further ones wait in a queue; 0 means as many as "
    "a local server works on, or no limit. `queueWeights` gives users of a plan up to 12 turns in it for one of the "
    "others; members that are left out are 1. "
    "`billsAfterDisconnect` charges stopped answers at their maximum, for a provider that bills them whole. "
    "Another `baseUrl` requires the key again. 409, SET_BY_SETTINGS, if the settings of the box configure the "
    "provider.";
constexpr const char* test_text =
    "Asks the provider one short question. `success` is false with `error` and `code` if it did not answer; otherwise "
    "`answer` has its first words. `models` has up to 200 models that the provider lists. Not metered. 409 if the "
    "provider is not configured.";
constexpr const char* probe_text =
    "Looks for Ollama (11434), llama.cpp (8080) and vLLM (8000) on 127.0.0.1. Configure one by PUT "
    "/api/admin/models/providers with its `baseUrl`.";

}  // namespace

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto &box = guards.backend.box, &internal = guards.backend.internal;
  return {
      {web::GET, "/api/admin/models/providers", box, nullptr,
       web::plain(on(list_providers)).returns<ProviderList>().describe(list_text), "List the model providers"},
      {web::PUT, "/api/admin/models/providers", internal, nullptr,
       web::body<ProviderBody>(on(put_provider))
           .returns<ProviderView>()
           .describe(put_text)
           .fails({web::Kind::conflict}),
       "Configure a model provider"},
      {web::DELETE, "/api/admin/models/providers/:name", internal, nullptr,
       web::plain(on(remove_provider)).returns<RemovedProvider>(),
       "Remove a model provider that was configured at run time"},
      {web::POST, "/api/admin/models/providers/:name/test", internal, nullptr,
       web::body<TestBody>(on(try_provider)).returns<TestView>().describe(test_text).fails({web::Kind::conflict}),
       "Test a model provider"},
      {web::POST, "/api/admin/models/local-servers", internal, nullptr,
       web::plain(on(probe)).returns<FoundServers>().describe(probe_text), "Look for model servers on this machine"},
  };
}

}  // namespace models::administration
