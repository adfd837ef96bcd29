// Which models are asked for a request, in which order, and through whom.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/provider_keys.h"
#include "appliance/models/providers/providers.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

struct Candidate {
  std::shared_ptr<Provider> provider;
  std::string id;                // as the catalogue and the box's answers have it; empty: the provider's default
  std::string name_there;        // what the provider calls it
  const Model* model = nullptr;  // of the catalogue in hand; null: it has no entry
  bool own_key = false;          // the user's own
  bool is_free() const { return provider->name() == "local" || provider->name() == "builtin"; }
};

struct ModelQuery {
  std::string model, task;  // either may be empty
  std::string provider;     // who is to be asked, where they have the model; empty or unknown: as the box has it
  // True: a model that the box does not know, or the plan does not have, is as good as none. Agents carry names of
  // models from the time they were made.
  bool is_agents = false;
};

// What is said of a name that no model of the box has.
web::Error unknown_model(std::string_view name);

// Callable from every thread; the arguments must outlive it.
class ModelRouter {
 public:
  ModelRouter(Providers& providers, const ProviderKeys& keys, std::string default_model)
      : providers_(providers), keys_(keys), default_model_(std::move(default_model)) {}

  // Never empty. invalid: nobody knows the model; forbidden, MODEL_RESTRICTED with allowedModels: it is not in the
  // plan; not_found: there is no model for this; unavailable: none is configured. The catalogue must outlive the
  // candidates.
  web::Task<web::Result<std::vector<Candidate>>> choose(ModelQuery, const billing::Payer&, const Catalogue&);
  // The cheapest model of the plan that costs less than this one, if somebody serves one.
  std::optional<Candidate> cheaper_than(const Candidate&, const billing::Payer&, const Catalogue&) const;
  // What the local server lists now; nothing when there is none, or it does not answer or is left alone.
  web::Task<std::optional<std::vector<ModelInfo>>> listed_locally();
  // Who embeds with the model of this name: the local server if it lists it, or if there is nobody else; else OpenAI or
  // the router, through the user's own key if there is one. A name with a vendor before it ("openai/...") is the
  // router's. not_found: nobody embeds; forbidden: a model of the catalogue that the plan does not have. The provider
  // is an OpenAiProvider.
  web::Task<web::Result<Candidate>> embedder(std::string model, const billing::Payer&, const Catalogue&);
  // The local server's default, else the builtin model when nothing is configured.
  std::optional<Candidate> local() const;
  // Whoever serves a model of the catalogue: the user's own key, its maker, the router. Nothing: nobody.
  std::optional<Candidate> server_of(const Model&, store::UserId) const;

 private:
  // Through ModelQuery::provider; empty when that one does not serve the model.
  std::vector<Candidate> as_asked(const ModelQuery&, const billing::Payer&, const Catalogue&) const;
  std::vector<Candidate> by_task(std::string_view task, const billing::Payer&, const Catalogue&) const;
  std::vector<Candidate> with_fallback(Candidate, const billing::Payer&, const Catalogue&) const;
  // With the user's own key, else as the box has it; without a provider when it has not.
  Candidate through(std::string_view provider, store::UserId) const;

  Providers& providers_;
  const ProviderKeys& keys_;
  const std::string default_model_;
};

}  // namespace models
