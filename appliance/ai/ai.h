// The box's one door to models: chooses who is asked, keeps within what may be spent, asks, falls back, and meters
// every attempt in the usage ledger.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "appliance/ai/answer_cache.h"
#include "appliance/ai/catalogue.h"
#include "appliance/ai/choice.h"
#include "appliance/ai/listing.h"
#include "appliance/ai/provider.h"
#include "appliance/ai/providers.h"
#include "appliance/billing/gate.h"
#include "appliance/config.h"
#include "appliance/usage/ledger.h"
#include "web/result.h"
#include "web/task.h"

namespace ai {

struct Ask {
  ChatRequest request;
  Wish wish;
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
class Ai {
 public:
  Ai(const agentbox::Settings&, usage::Ledger&, const billing::Gate&, Catalogues&, const ProviderKeys&, AnswerCache&);
  ~Ai();

  // One answer. Each attempt is reserved before and settled after, in the store; those that failed are settled, too.
  // Once a piece of an answer has reached the listener no other model is asked. The answer's model is the one that
  // served. Errors: those of Chooser::choose, Gate::refusal and, when every attempt failed, the last one's.
  web::Task<web::Result<ChatAnswer>> complete(Ask, Interest&);
  web::Task<web::Result<ChatAnswer>> complete(Ask);

  // The OpenAI embeddings form, passed through as it is and metered: the body of the answer. not_found: none of the
  // providers of this box embeds.
  web::Task<web::Result<std::string>> embed(std::string model, std::string body, billing::Payer);
  web::Task<std::vector<Listed>> models();

  // Returns once no call is under way any more, or the grace is over.
  web::Task<> finish(std::chrono::milliseconds grace);

  Providers& providers() { return providers_; }
  Chooser& chooser() { return chooser_; }
  Catalogues& catalogues() { return catalogues_; }
  const billing::Gate& gate() const { return gate_; }
  AnswerCache& cache() { return cache_; }

 private:
  struct Attempt;
  class Witness;
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
  const billing::Gate& gate_;
  Catalogues& catalogues_;
  AnswerCache& cache_;
  Providers providers_;
  Chooser chooser_;
  std::atomic<int> under_way_{0};
};

}  // namespace ai
