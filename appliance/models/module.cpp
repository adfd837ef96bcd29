#include "appliance/models/module.h"

#include <algorithm>

#include "appliance/models/builtin/builtin.h"
#include "appliance/models/openai_api/routes.h"

namespace models {

Module::Module(const agentbox::Platform& given_platform, identity::Module& given_identity,
               billing::Module& given_billing)
    : platform(given_platform),
      identity(given_identity),
      billing(given_billing),
      catalogues(platform.folder.catalogue_file()),
      provider_keys(platform.system),
      answer_cache(platform.system),
      gateway(platform.settings, billing.ledger, billing.spend_policy, catalogues, provider_keys, answer_cache),
      capabilities_(models::capabilities(), *this) {
  gateway.record_spans_with(billing.spans);
  identity.identities.when_claimed(
      {.claim = [system = platform.system](store::UserId user,
                                           store::Change& change) { ProviderKeys::remove_all(system, user, change); },
       .claimed = {}});
}

std::vector<web::Route> Module::agent_rows() {
  const openai_api::Services services{gateway, [this](std::string_view agent) { return provider_of(agent); }};
  return openai_api::routes(identity.guards.agent_token, services);
}

bool Module::knows(std::string_view model) const {
  if (model == builtin_model || catalogues.current()->find(model)) return true;
  const auto local = gateway.providers().local();
  if (!local) return false;
  // Until it has listed its models, it may serve any.
  const auto listed = local->last_listed();
  return !listed || local->is_configured_model(model) ||
         std::ranges::find(*listed, model, &ModelInfo::id) != listed->end();
}

std::string Module::premium_model(store::UserId user) const {
  const auto catalogue = catalogues.current();
  const auto* premium = catalogue->find(catalogue->models_for("reasoning").front());
  const auto subscription = billing.subscriptions.active(user);
  if (subscription && !catalogue->allows(subscription->plan, premium->id)) return {};
  return gateway.router().server_of(*premium, user) ? premium->id : std::string();
}

}  // namespace models
