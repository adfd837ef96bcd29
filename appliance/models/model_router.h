// Chooses the models for a request, their order, and the providers that serve them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/provider_keys.h"
#include "appliance/models/provider_models.h"
#include "appliance/models/providers/providers.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

struct Candidate {
  std::shared_ptr<Provider> provider;
  std::string id;                // in the catalogue and in answers; empty: the provider's default
  std::string name_there;        // the provider's name of the model
  const Model* model = nullptr;  // null: not in the catalogue
  bool own_key = false;          // through the user's own key
  bool is_free() const { return provider->name() == "local" || provider->name() == "builtin"; }
};

struct ModelQuery {
  std::string model, task;  // either may be empty; see names_no_model
  std::string provider;     // preferred if it serves the model; empty or unknown: no preference
  // The only models of the catalogue that may answer, the named one first; empty: any that the plan includes.
  std::vector<std::string> only{};
};

// Whether this name leaves the choice to the box: empty, auto, or custom, which agents' configs may have.
bool names_no_model(std::string_view name);
// Whether the groups of the user allow this model; the plan is another matter.
bool may_use(const billing::Payer&, std::string_view model);
// The error for an unknown model.
web::Error unknown_model(std::string_view name);

// Callable from every thread; the arguments must outlive it.
class ModelRouter {
 public:
  ModelRouter(Providers& providers, const ProviderKeys& keys, std::string default_model)
      : providers_(providers), keys_(keys), default_model_(std::move(default_model)) {}

  // In the order in which they are to be tried; never empty. invalid, model_not_found: unknown model; forbidden,
  // MODEL_RESTRICTED with allowedModels: not included in the plan; unavailable: no configured provider serves the named
  // model; not_found: none serves the request. A model may be named as the catalogue does, as its vendor does, or as a
  // keyed provider lists it; the latter has no known price. The catalogue must outlive the candidates.
  web::Task<web::Result<std::vector<Candidate>>> choose(ModelQuery, const billing::Payer&, const Catalogue&);
  // The cheapest model of the plan that a provider serves, if it is cheaper than this one.
  std::optional<Candidate> cheaper_than(const Candidate&, const billing::Payer&, const Catalogue&) const;
  // The models that the local server lists. Not set: there is none, it does not answer, or its circuit is open.
  web::Task<std::optional<std::vector<ModelInfo>>> listed_locally();
  // Whether a keyed provider was found to list a model of this name lately.
  bool is_known_to_be_listed(std::string_view name) const { return listed_.is_known(name); }
  // Whether the candidate's provider lists its model now. Not set: it does not say within three seconds.
  web::Task<std::optional<bool>> lists(const Candidate&, store::UserId);
  // The provider of an embedding model: the local server if it lists the model or no other is configured; else OpenAI
  // or the router, through the user's own key if there is one. A name with a vendor ("openai/...") is the router's.
  // not_found: no provider has embeddings; forbidden: the plan does not include the model.
  web::Task<web::Result<Candidate>> embedder(std::string model, const billing::Payer&, const Catalogue&);
  // The local server's default model, else the builtin model if no provider is configured.
  std::optional<Candidate> local() const;
  // Serves a model of the catalogue through the user's own key, its vendor or the router. Not set: none is configured.
  std::optional<Candidate> server_of(const Model&, store::UserId) const;

 private:
  // choose() without the limits of groups.
  web::Task<web::Result<std::vector<Candidate>>> choose_any(ModelQuery, const billing::Payer&, const Catalogue&);
  // Through ModelQuery::provider; empty if that does not serve the model.
  web::Task<std::vector<Candidate>> as_asked(const ModelQuery&, const billing::Payer&, const Catalogue&);
  // local(), with the name of its default model as far as it is known: the configured one, the largest that it has
  // loaded, or the first that it lists.
  web::Task<std::optional<Candidate>> local_default();
  // Whether the local server has a model. Not set: it does not say, so that only a request can show it.
  web::Task<std::optional<bool>> has_locally(std::string_view model);
  // Of a further server: "<its name>/<its name of the model>", or without a model its default.
  std::optional<Candidate> on_server(std::string_view model) const;
  // The first further server that has a default model or lists one; for boxes that have nothing else.
  web::Task<std::optional<Candidate>> server_default();
  // A model that the catalogue does not have: of the keyed provider that lists it, as "<provider>/<its name there>", or
  // under the name alone. Empty: none lists it.
  web::Task<std::vector<Candidate>> listed_elsewhere(std::string model, const billing::Payer&, const Catalogue&);
  // For a request that names a model.
  web::Task<web::Result<std::vector<Candidate>>> named(std::string model, const billing::Payer&, const Catalogue&);
  std::vector<Candidate> by_task(std::string_view task, const billing::Payer&, const Catalogue&) const;
  std::vector<Candidate> with_fallback(Candidate, const billing::Payer&, const Catalogue&) const;
  // A candidate of local(), followed by the local server's fallback model.
  std::vector<Candidate> with_local_fallback(Candidate) const;
  // ModelQuery::only, each through its vendor and then the router.
  std::vector<Candidate> among(const ModelQuery&, const billing::Payer&, const Catalogue&) const;
  // The router as the fallback of a vendor's API, except for users' own keys: the router is at the plan's cost.
  std::optional<Candidate> router_for(const Candidate&) const;
  // With the user's own key, else the box's; the provider is null if neither exists.
  Candidate through(std::string_view provider, store::UserId) const;

  Providers& providers_;
  const ProviderKeys& keys_;
  const std::string default_model_;
  ProviderModels listed_;
  LoadedModels loaded_;
};

}  // namespace models
