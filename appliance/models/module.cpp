#include "appliance/models/module.h"

#include "appliance/models/ai_api/routes.h"
#include "appliance/models/builtin/builtin.h"
#include "appliance/models/demo/routes.h"
#include "appliance/models/plan_overview/routes.h"
#include "appliance/models/user_settings/routes.h"

namespace models {

namespace {

// The setting was checked when it was read.
usage::Money money_of(const std::string& dollars) { return usage::Money::parse(dollars).value(); }

}  // namespace

Module::Module(const agentbox::Platform& platform, identity::Module& identity, billing::Module& billing)
    : settings_(platform.settings),
      identity_(identity),
      billing_(billing),
      model_guard_(openai_api::model_guard(identity.guards)),
      catalogues(platform.folder.catalogue_file()),
      provider_keys(platform.system),
      answer_cache(platform.system),
      gateway(platform.settings, billing.ledger, billing.spend_policy, catalogues, provider_keys, answer_cache),
      demo_(gateway, platform.settings.demo_chat,
            {platform.settings.demo_daily_tokens, money_of(platform.settings.demo_daily_usd)}) {
  identity.authentication.identities().when_claimed(
      {.claim = [system = platform.system](store::UserId user,
                                           store::Change& change) { ProviderKeys::remove_all(system, user, change); },
       .claimed = {}});
}

agentbox::Rows Module::rows(ProviderOf provider_of) {
  auto& audit = identity_.authentication.audit();
  const auto& guards = identity_.guards;
  agentbox::Rows rows;
  web::append(rows.web, demo::web_routes({demo_, guards}));
  web::append(rows.web, user_settings::web_routes({gateway, provider_keys, audit, guards}));
  web::append(rows.web, plan_overview::web_routes({identity_.accounts, billing_.subscriptions, billing_.spend_policy,
                                                   billing_.ledger, provider_keys, audit, guards}));
  web::append(rows.backend, openai_api::routes({gateway, model_guard_, std::move(provider_of)}));
  web::append(rows.backend, ai_api::backend_routes({gateway, guards}));
  return rows;
}

std::vector<web::Route> Module::agent_rows(ProviderOf provider_of) {
  return openai_api::routes({gateway, identity_.guards.agent_token, std::move(provider_of)});
}

bool Module::knows(std::string_view model) const {
  // A local server may serve any model.
  const bool has_local_server = !settings_.local_model_url.empty();
  return has_local_server || model == builtin_model || catalogues.current()->find(model);
}

}  // namespace models
