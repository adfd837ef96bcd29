#include "appliance/models/module.h"

#include <algorithm>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/google_api/handlers.h"
#include "appliance/models/media_api/handlers.h"
#include "appliance/models/messages_api/handlers.h"
#include "appliance/models/openai_api/handlers.h"

namespace models {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity,
               billing::Module& given_billing)
    : platform(given_platform),
      identity(given_identity),
      billing(given_billing),
      catalogues(platform.folder.catalogue_file()),
      provider_keys(platform.system),
      answer_cache(platform.system),
      gateway(platform.settings, billing.ledger, billing.spend_policy, catalogues, provider_keys, answer_cache,
              billing.spans),
      capabilities_(models::capabilities(), *this) {
  identity.events.account_claim.subscribe([system = platform.system](store::UserId user, store::Change& change) {
    ProviderKeys::remove_all(system, user, change);
  });
}

std::vector<web::Route> Module::agent_rows() {
  const openai_api::Services services{gateway, [this](std::string_view agent) { return provider_of(agent); }};
  auto rows = openai_api::routes(identity.guards.agent_token, services);
  web::append(rows, messages_api::routes(identity.guards.agent_token, services));
  web::append(rows, google_api::routes(identity.guards.agent_token, services));
  web::append(rows, media_api::routes(identity.guards.agent_token, services));
  return rows;
}

bool Module::knows(std::string_view model) const {
  const auto catalogue = catalogues.current();
  if (model == builtin_model || catalogue->find(model) || catalogue->find_by_direct_name(model)) return true;
  // What a further server or a provider beyond the catalogue has is known when it is asked.
  const auto slash = model.find('/');
  if (slash != model.npos) {
    const auto name = model.substr(0, slash);
    const bool is_keyed = std::ranges::count(keyed_providers, name) > 0;
    if (gateway.providers().server(name) || (is_keyed && gateway.providers().find(name))) return true;
  }
  if (gateway.router().is_known_to_be_listed(model)) return true;
  const auto local = gateway.providers().local();
  if (!local) return false;
  // Until it has listed its models, it may serve any.
  const auto listed = local->last_listed();
  return !listed || local->is_configured_model(model) ||
         std::ranges::find(*listed, model, &ModelInfo::id) != listed->end();
}

web::Task<std::string> Module::premium_model(store::UserId user) {
  const auto catalogue = catalogues.current();
  const auto subscription = billing.subscriptions.active(user);
  for (const auto& id : catalogue->models_for("reasoning")) {
    if (subscription && !catalogue->allows(subscription->plan, id)) co_return std::string();
    const auto served = gateway.router().server_of(*catalogue->find(id), user);
    if (!served) co_return std::string();
    // A model that its vendor has retired is no default.
    if (gateway.providers().breaker(served->provider->name()).is_missing(id)) continue;
    const auto listed = co_await gateway.router().lists(*served, user);
    if (listed.value_or(true)) co_return id;
  }
  co_return std::string();
}

}  // namespace models
