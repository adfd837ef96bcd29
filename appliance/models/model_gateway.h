// Every model call of the box goes through here: the gateway chooses a model, enforces quotas and caps, calls the
// provider, falls back to another model, and meters each attempt in the usage ledger.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spans/recorder.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/models/answer_cache.h"
#include "appliance/models/attempt.h"
#include "appliance/models/call_meter.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/listing.h"
#include "appliance/models/model_router.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/providers.h"
#include "appliance/models/queue/model_queue.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

// Callable from every thread; the arguments must outlive it.
class ModelGateway {
 public:
  // The recorder gets a span of each attempt.
  ModelGateway(const agentbox::Settings&, usage::Ledger&, const billing::SpendPolicy&, Catalogues&, const ProviderKeys&,
               AnswerCache&, spans::Recorder&);

  // Each attempt is reserved before it is made and settled afterwards, failed ones as well. Once a piece of an answer
  // has reached the listener, no other model is tried. ChatAnswer::model is the model that served. Errors: those of
  // ModelRouter::choose, SpendPolicy::refusal and, when every attempt failed, of the last one.
  web::Task<web::Result<ChatAnswer>> complete(ModelCall, CallControl&);
  web::Task<web::Result<ChatAnswer>> complete(ModelCall);

  // `body` is in OpenAI's embeddings form and passed through; so is the body that is returned. not_found: no configured
  // provider has embeddings.
  web::Task<web::Result<std::string>> embed(std::string model, std::string body, billing::Payer);
  // Speech, transcriptions and images, passed through likewise. `most`: what the request can use; the tokens of an
  // answer come from the catalogue. Where money is limited, models whose prices the catalogue does not have are
  // refused.
  web::Task<web::Result<PassedAnswer>> pass(std::string model, PassedRequest, MediaUse most, billing::Payer);
  web::Task<std::vector<ListedModel>> models();
  // Tokens, of the catalogue or as its server tells; 0: unknown.
  web::Task<std::int64_t> context_of(const ListedModel&);

  // Returns when no call is in progress, at the latest after `grace`.
  web::Task<> finish(std::chrono::milliseconds grace);

  Providers& providers() { return providers_; }
  const Providers& providers() const { return providers_; }
  ModelRouter& router() { return router_; }
  const ModelRouter& router() const { return router_; }
  Catalogues& catalogues() { return catalogues_; }
  const billing::SpendPolicy& policy() const { return policy_; }
  AnswerCache& cache() { return cache_; }
  const ModelQueues& queues() const { return queues_; }

 private:
  struct Progress;

  // The steps of complete(). Those with a Progress record in it why a candidate did not answer.
  web::Task<std::optional<ChatAnswer>> find_cached(Progress&);
  web::Task<std::optional<ChatAnswer>> try_candidate(Progress&, const Candidate&);
  // Of the request, those that the candidate's provider does not fetch. Returns why that is not possible.
  web::Task<std::optional<web::Error>> fetch_images(Progress&, const Candidate&) const;
  Attempt prepare(const Candidate&, const ModelCall&, Listener*) const;
  // The limit `exceeded` rules the attempt out. Its cap may name a cheaper or the local model instead.
  void replace_candidate(Progress&, const Attempt&, const usage::Limit& exceeded) const;
  std::optional<Candidate> replacement_for(const Candidate&, const billing::Cap*, const Progress&) const;
  // Waits for a slot of the candidate's server; without one if its requests do not queue, or if the caller has gone.
  web::Task<std::optional<ModelQueue::Slot>> wait_for_slot(const Candidate&, const ModelCall&, CallControl&);
  web::Task<Outcome<ChatAnswer>> call_provider(Attempt&, CallControl&) const;
  spans::Running begin_span(const Attempt&, const ModelCall&) const;
  void store_in_cache(const Progress&, const Attempt&, const ChatAnswer&);

  const agentbox::Settings& settings_;
  const billing::SpendPolicy& policy_;
  Catalogues& catalogues_;
  AnswerCache& cache_;
  spans::Recorder& spans_;
  CallMeter meter_;
  Providers providers_;
  ModelRouter router_;
  ModelQueues queues_;
  ServerContexts contexts_;
  std::atomic<int> calls_in_progress_{0};
};

}  // namespace models
