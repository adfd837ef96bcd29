#include "appliance/models/user_settings/handlers.h"

#include <algorithm>

#include "web/routes/reply.h"

namespace models::user_settings {

namespace {

KeyView view(const ProviderKey& key) {
  return {.provider = key.id, .hint = key.hint, .inUse = !key.is_set_aside, .updatedAt = key.updated_at};
}

}  // namespace

web::Answer show_cache(const Services& services, const web::Request& request) {
  const auto minutes = services.gateway.cache().lifetime(request.caller.user_id).count();
  const CacheView answer{.enabled = minutes > 0, .minutes = minutes};
  co_return web::reply(answer);
}

web::Answer set_cache(const Services& services, const web::Request& request, CacheBody body) {
  co_await services.gateway.cache().set_lifetime(request.caller.user_id, std::chrono::minutes(body.minutes.value));
  co_return co_await show_cache(services, request);
}

web::Answer list_models(const Services& services, const web::Request& request) {
  web::Caller caller = request.caller;
  caller.credential.clear();  // of the session, which is not an API key
  const auto payer = services.gateway.policy().payer_of(caller);
  const auto catalogue = services.gateway.catalogues().current();
  RouterModels answer;
  const auto here = (co_await services.gateway.router().listed_locally()).value_or(std::vector<ModelInfo>());
  for (const auto& model : here)
    if (!catalogue->find(model.id))
      answer.models.push_back({.id = model.id,
                               .name = model.id,
                               .provider = "local",
                               .description = "Served on the local network.",
                               .available = true,
                               .inPlan = true});
  for (const auto& model : catalogue->models()) {
    const bool is_local = std::ranges::find(here, model.id, &ModelInfo::id) != here.end();
    answer.models.push_back(
        {.id = model.id,
         .name = model.name,
         .provider = model.provider,
         .description = model.description,
         .contextWindow = model.context,
         .available = is_local || services.gateway.router().server_of(model, request.caller.user_id).has_value(),
         .inPlan = payer && catalogue->allows(payer->plan, model.id)});
  }
  answer.count = static_cast<std::int64_t>(answer.models.size());
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

}  // namespace models::user_settings
