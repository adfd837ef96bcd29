// One attempt to have a request answered by one model.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spans/trace_context.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/models/model_router.h"
#include "appliance/models/queue/fair_queue.h"
#include "appliance/models/token_counts.h"

namespace models {

// A request with the account it is charged to.
struct ModelCall {
  ChatRequest request;
  ModelQuery query;
  billing::Payer payer;
  spans::TraceContext trace = {};  // of the caller
  WaitClass wait_class = WaitClass::person;
};

// Connects a call in progress with its caller. Used on the thread of the call only.
struct CallControl {
  Listener* listener = nullptr;   // null: the caller wants the whole answer at once
  bool is_abandoned = false;      // the caller has gone; no further attempt is made
  std::string serving;            // the model of the current attempt
  bool ends_with_caller = false;  // the current attempt is cancelled once the caller has gone
  // Called with the place in the queue before the current attempt's server, and with nothing once it has a slot.
  std::function<void(const std::optional<FairQueue::Place>&)> on_place;
  boost::asio::cancellation_signal cancel;  // cancels the current attempt
};

// Forwards the pieces of an answer to its target, if it has one, records the time of the first, and counts what has
// arrived.
class ReceivedAnswer final : public Listener {
 public:
  using Clock = std::chrono::steady_clock;
  // `provider` is added to reasoning and signatures.
  ReceivedAnswer(Listener* target, std::string_view provider) : target_(target), provider_(provider) {}

  void text(std::string_view piece) override;
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override;
  void other(const AnswerPiece&) override;
  void usage(const TokenUsage& reported) override;
  bool is_read() const override { return has_target(); }

  bool has_target() const { return target_ != nullptr; }
  bool has_reached_target() const { return target_ && first_; }
  const std::optional<Clock::time_point>& first() const { return first_; }
  // What the provider has reported, if nothing came after that; else what was counted, marked as estimated and never
  // below what it has reported. `prompt` is the request's count.
  TokenUsage used(std::int64_t prompt) const;

 private:
  void mark();

  Listener* target_;
  std::string provider_;
  std::optional<Clock::time_point> first_;
  TokenCounter counted_;
  std::optional<TokenUsage> reported_;
  bool is_report_current_ = false;  // nothing has arrived since
};

struct Attempt {
  using Clock = std::chrono::steady_clock;

  const Candidate& candidate;
  ChatRequest request;             // with the provider's name of the model and a limit of the answer
  bool has_default_limit = false;  // the caller set no limit of the answer, so it may be shortened
  bool is_shortened = false;       // to what the limits leave
  billing::Bounds bounds;
  std::vector<usage::Limit> limits;
  bool is_on_credits = false;  // the user's credits pay, since the plan's quota is exceeded
  usage::Call call;            // the row of the ledger
  std::optional<usage::Reservation> reservation;
  ReceivedAnswer received;
  const MediaModel* media = nullptr;        // of a call for sound or images that the catalogue prices
  MediaUse media_use = {};                  // of that call: the most, until it is settled
  bool is_streamed = false;                 // by the provider, so that `received` counts what arrives
  bool is_billed_after_disconnect = false;  // the provider bills the whole answer although the box disconnected
  Clock::time_point started = Clock::now();

  std::string name() const { return call.provider + "/" + call.model; }
  bool has_price() const { return candidate.model || media || candidate.is_free(); }
  usage::Money cost_of(const TokenUsage&) const;
};

// Fills in everything except the bounds. The candidate must outlive the attempt.
Attempt make_attempt(const Candidate&, const ModelCall&, Listener*, std::int64_t default_max_tokens);

// Calls without a known price are refused where a limit on money applies.
web::Error no_price(const std::string& model);

}  // namespace models
