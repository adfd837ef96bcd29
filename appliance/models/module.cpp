#include "appliance/models/module.h"

#include "appliance/models/builtin/builtin.h"

namespace models {

Module::Module(const agentbox::Platform& platform, identity::Module& identity, billing::Module& billing)
    : settings_(platform.settings),
      identity_(identity),
      billing_(billing),
      model_guard_(model_guard(identity.guards)),
      catalogues(platform.folder.catalogue_file()),
      provider_keys(platform.system),
      answer_cache(platform.system),
      gateway(platform.settings, billing.ledger, billing.spend_policy, catalogues, provider_keys, answer_cache) {
  identity.authentication.identities().when_claimed(
      {.claim = [system = platform.system](store::UserId user,
                                           store::Change& change) { ProviderKeys::remove_all(system, user, change); },
       .claimed = {}});
}

agentbox::Rows Module::rows(ProviderOf provider_of) {
  auto& audit = identity_.authentication.audit();
  const auto& guards = identity_.guards;
  agentbox::Rows rows;
  web::append(rows.web, web_routes(gateway, settings_, guards));
  web::append(rows.web, own_key_routes(provider_keys, audit, guards));
  web::append(rows.web, billing_routes({identity_.accounts, billing_.subscriptions, billing_.spend_policy,
                                        billing_.ledger, provider_keys, audit, guards}));
  web::append(rows.backend, openai_routes(gateway, model_guard_, std::move(provider_of)));
  web::append(rows.backend, api_routes(gateway, guards));
  return rows;
}

std::vector<web::Route> Module::agent_rows(ProviderOf provider_of) {
  return openai_routes(gateway, identity_.guards.agent_token, std::move(provider_of));
}

bool Module::knows(std::string_view model) const {
  // What the local server has is its own affair.
  const bool is_anything = !settings_.local_model_url.empty();
  return is_anything || model == builtin_model || catalogues.current()->find(model);
}

}  // namespace models
