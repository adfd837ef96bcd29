#include "appliance/models/ai_api/user_settings.h"

#include <algorithm>

#include "appliance/models/media_api/handlers.h"
#include "web/routes/reply.h"

namespace models::user_settings {

namespace {

KeyView view(const ProviderKey& key) {
  return {.provider = key.id, .hint = key.hint, .inUse = !key.is_set_aside, .updatedAt = key.updated_at};
}

web::Answer show_cache(const Services& services, const web::Request& request) {
  const auto minutes = services.gateway.cache().lifetime(request.caller.user_id).count();
  const CacheView answer{.enabled = minutes > 0, .minutes = minutes};
  co_return web::reply(answer);
}

web::Answer set_cache(const Services& services, const web::Request& request, CacheBody body) {
  co_await services.gateway.cache().set_lifetime(request.caller.user_id, std::chrono::minutes(body.minutes.value));
  co_return co_await show_cache(services, request);
}

// The model that a request with this name would get first; none if it would be refused.
web::Task<RouterModels> look_up(const Services& services, ModelsQuery query, const billing::Payer& payer,
                                const Catalogue& catalogue) {
  ModelQuery asked{.model = std::move(*query.model), .task = {}, .provider = {}};
  if (query.provider) asked.provider = std::move(*query.provider);
  auto name = asked.model;
  const auto chosen = co_await services.gateway.router().choose(std::move(asked), payer, catalogue);
  RouterModels answer;
  if (!chosen) co_return answer;
  const auto& first = chosen->front();
  RouterModel found{.id = std::move(name),
                    .name = first.id.empty() ? first.name_there : first.id,
                    .provider = std::string(first.provider->name()),
                    .description = {},
                    .available = true,
                    .inPlan = true,
                    .costKnown = first.model || first.is_free()};
  if (first.model) {
    found.name = first.model->name;
    found.description = first.model->description;
    found.contextWindow = first.model->context;
  }
  answer.models.push_back(std::move(found));
  answer.count = 1;
  co_return answer;
}

web::Answer list_models(const Services& services, const web::Request& request, ModelsQuery query) {
  web::Caller caller = request.caller;
  caller.credential.clear();  // of the session, which is not an API key
  const auto payer = services.gateway.policy().payer_of(caller);
  const auto catalogue = services.gateway.catalogues().current();
  RouterModels answer;
  if (query.model) {
    if (payer) answer = co_await look_up(services, std::move(query), *payer, *catalogue);
    co_return web::reply(answer);
  }
  const auto here = (co_await services.gateway.router().listed_locally()).value_or(std::vector<ModelInfo>());
  for (const auto& model : here)
    if (!catalogue->find(model.id))
      answer.models.push_back({.id = model.id,
                               .name = model.id,
                               .provider = "local",
                               .description = "Served on the local network.",
                               .available = true,
                               .inPlan = true,
                               .inputPrice = "0",
                               .outputPrice = "0"});
  for (const auto& model : catalogue->models()) {
    const bool is_local = std::ranges::find(here, model.id, &ModelInfo::id) != here.end();
    answer.models.push_back(
        {.id = model.id,
         .name = model.name,
         .provider = model.provider,
         .description = model.description,
         .contextWindow = model.context,
         .available = is_local || services.gateway.router().server_of(model, request.caller.user_id).has_value(),
         .inPlan = payer && catalogue->allows(payer->plan, model.id) && may_use(*payer, model.id),
         .inputPrice = is_local ? "0" : model.price.input.to_string(),
         .outputPrice = is_local ? "0" : model.price.output.to_string(),
         .vision = model.sees(),
         .efforts = model.efforts.value_or(std::vector<std::string>())});
  }
  for (const auto& server : services.gateway.providers().servers()) {
    const auto listed = co_await server->models();
    if (!listed) continue;
    const std::string name(server->name());
    for (const auto& model : *listed)
      answer.models.push_back({.id = name + "/" + model.id,
                               .name = model.id,
                               .provider = name,
                               .description = "Served by " + name + ".",
                               .available = true,
                               .inPlan = true,
                               .costKnown = false});
  }
  answer.count = static_cast<std::int64_t>(answer.models.size());
  if (payer) answer.transcription = co_await media_api::transcription_model(services.gateway, *payer);
  co_return web::reply(answer);
}

web::Answer put_key(const Services& services, const web::Request& request, NewKey body) {
  const auto& provider = request.param("provider");
  if (std::ranges::count(keyed_providers, provider) == 0) co_return web::not_found("No such provider");
  auto entry = audit::of_request(request, "provider key kept", provider);
  const auto stored = co_await services.keys.put(request.caller, provider, std::move(body.key));
  if (!stored) entry.outcome = stored.error().message;
  co_await services.audit.note(std::move(entry));
  if (!stored) co_return stored.error();
  co_return web::reply(view(*stored));
}

web::Answer remove_key(const Services& services, const web::Request& request) {
  const auto& provider = request.param("provider");
  const bool removed = co_await services.keys.remove(request.caller.user_id, provider);
  if (!removed) co_return web::not_found("No such key");
  auto entry = audit::of_request(request, "provider key removed", provider);
  co_await services.audit.note(std::move(entry));
  const RemovedKey answer{.provider = provider};
  co_return web::reply(answer);
}

web::Answer list_keys(const Services& services, const web::Request& request) {
  KeyList answer;
  for (const auto& key : services.keys.list(request.caller.user_id)) answer.keys.push_back(view(key));
  answer.count = static_cast<std::int64_t>(answer.keys.size());
  co_return web::reply(answer);
}

constexpr const char* models_text =
    "The catalogue, and what the local server and further servers list. `costKnown` is false for models without a "
    "price: their calls count in requests and tokens, and limits in money refuse them. With `model`, and `provider` as "
    "in agents' configs, only the model that a request with this name would get; none if it would be refused. So "
    "models are found that a provider lists and the catalogue does not.";
constexpr const char* cache_text =
    "An answer is used again for `minutes` for requests that are identical in every byte, at no cost. 0, the default, "
    "turns the cache off. It is not shared with other users.";
constexpr const char* key_text =
    "For openrouter, anthropic, openai or google. Calls with the key are billed to your account there. They do not "
    "count towards your plan's quota and are metered separately. The key is used at once, stored sealed and never "
    "shown again. disable-byok of POST /api/billing disables all keys.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& session = guards.session;
  return {
      {web::GET, "/api/models", session, nullptr,
       web::query<ModelsQuery>(on(list_models)).returns<RouterModels>().describe(models_text),
       "List the models of the multi-model router, and which your plan includes"},
      {web::GET, "/api/response-cache", session, nullptr, web::plain(on(show_cache)).returns<CacheView>(),
       "Whether answers to identical requests are cached for you"},
      {web::PUT, "/api/response-cache", session, nullptr,
       web::body<CacheBody>(on(set_cache)).returns<CacheView>().describe(cache_text),
       "Turn your response cache on or off"},
      {web::GET, "/api/provider-keys", session, nullptr, web::plain(on(list_keys)).returns<KeyList>(),
       "List your own keys at model providers"},
      {web::PUT, "/api/provider-keys/:provider", session, nullptr,
       web::body<NewKey>(on(put_key)).returns<KeyView>().describe(key_text), "Store your own key"},
      {web::DELETE, "/api/provider-keys/:provider", session, nullptr, web::plain(on(remove_key)).returns<RemovedKey>(),
       "Delete your own key"},
  };
}

}  // namespace models::user_settings
