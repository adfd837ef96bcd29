// The box's one door to models: chooses who is asked, keeps within what may be spent, asks, falls back, and meters
// every attempt in the usage ledger.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/models/answer_cache.h"
#include "appliance/models/catalogue.h"
#include "appliance/models/listing.h"
#include "appliance/models/model_router.h"
#include "appliance/models/providers/provider.h"
#include "appliance/models/providers/providers.h"
#include "web/result.h"
#include "web/task.h"

namespace models {

struct Ask {
  ChatRequest request;
  ModelQuery query;
  billing::Payer payer;
};

// One request on its way, as seen by whoever may lose interest in it.
struct Interest {
  Listener* listener = nullptr;  // null: the answer is wanted whole
  bool is_lost = false;          // set when nobody waits any more; no attempt is made after that
  std::string serving;           // the model that is being asked
  // What the attempt under way is cancelled through. To be emitted on the thread of the call.
  boost::asio::cancellation_signal cancel;
};

// Callable from every thread; the arguments must outlive it.
class ModelGateway {
 public:
  ModelGateway(const agentbox::Settings&, usage::Ledger&, const billing::SpendPolicy&, Catalogues&, const ProviderKeys&,
               AnswerCache&);
  ~ModelGateway();

  // One answer. Each attempt is reserved before and settled after, in the store; those that failed are settled, too.
  // Once a piece of an answer has reached the listener no other model is asked. The answer's model is the one that
  // served. Errors: those of ModelRouter::choose, SpendPolicy::refusal and, when every attempt failed, the last one's.
  web::Task<web::Result<ChatAnswer>> complete(Ask, Interest&);
  web::Task<web::Result<ChatAnswer>> complete(Ask);

  // The OpenAI embeddings form, passed through as it is and metered: the body of the answer. not_found: none of the
  // providers of this box embeds.
  web::Task<web::Result<std::string>> embed(std::string model, std::string body, billing::Payer);
  web::Task<std::vector<Listed>> models();

  // Returns once no call is under way any more, or the grace is over.
  web::Task<> finish(std::chrono::milliseconds grace);

  Providers& providers() { return providers_; }
  ModelRouter& router() { return router_; }
  Catalogues& catalogues() { return catalogues_; }
  const billing::SpendPolicy& policy() const { return policy_; }
  AnswerCache& cache() { return cache_; }

 private:
  struct Attempt;
  class FirstTokenTimer;
  // What the candidate's model or provider cannot do of the request.
  static std::optional<web::Error> misfit(const Candidate&, const ChatRequest&);
  Attempt prepare(const Candidate&, const Ask&, Interest&) const;
  // Who is asked in its place when a cap has no room for it; nothing when the cap refuses.
  std::optional<Candidate> instead_of(const Candidate&, const billing::Cap*, const Ask&, const Catalogue&) const;
  // Nothing: reserved. The limit that was met otherwise; the attempt's request is cut to what there is room for, if it
  // may be.
  web::Task<std::optional<usage::Limit>> reserve(Attempt&);
  std::int64_t room_within(const usage::Limit&, const Attempt&) const;
  web::Task<Outcome<ChatAnswer>> ask(Attempt&, Interest&);
  web::Task<> settle(Attempt&, const Outcome<ChatAnswer>&);
  web::Task<> record_cached(const Ask&, const ChatAnswer&);

  const agentbox::Settings& settings_;
  usage::Ledger& ledger_;
  const billing::SpendPolicy& policy_;
  Catalogues& catalogues_;
  AnswerCache& cache_;
  Providers providers_;
  ModelRouter router_;
  std::atomic<int> under_way_{0};
};

}  // namespace models
