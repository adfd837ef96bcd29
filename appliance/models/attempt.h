// One attempt to have a request answered by one model.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spans/trace_context.h"
#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/models/model_router.h"

namespace models {

// A request with the account it is charged to.
struct ModelCall {
  ChatRequest request;
  ModelQuery query;
  billing::Payer payer;
  spans::TraceContext trace = {};  // of the caller
};

// Connects a call in progress with its caller. Used on the thread of the call only.
struct CallControl {
  Listener* listener = nullptr;             // null: the caller wants the whole answer at once
  bool is_abandoned = false;                // the caller has gone; no further attempt is made
  std::string serving;                      // the model of the current attempt
  boost::asio::cancellation_signal cancel;  // cancels the current attempt
};

// Forwards the pieces of an answer and records the time of the first.
class FirstTokenTimer final : public Listener {
 public:
  using Clock = std::chrono::steady_clock;
  explicit FirstTokenTimer(Listener* target) : target_(target) {}

  void text(std::string_view piece) override;
  void call(std::size_t index, std::string_view id, std::string_view name, std::string_view arguments) override;

  bool has_target() const { return target_ != nullptr; }
  bool has_started() const { return first_.has_value(); }
  const std::optional<Clock::time_point>& first() const { return first_; }

 private:
  void mark();

  Listener* target_;
  std::optional<Clock::time_point> first_;
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
  FirstTokenTimer first_token;
  Clock::time_point started = Clock::now();

  std::string name() const { return call.provider + "/" + call.model; }
  bool has_price() const { return candidate.model || candidate.is_free(); }
  usage::Money cost_of(const TokenUsage&) const;
};

// Fills in everything except the bounds. The candidate must outlive the attempt.
Attempt make_attempt(const Candidate&, const ModelCall&, Listener*, std::int64_t default_max_tokens);

// Calls without a known price are refused where a limit on money applies.
web::Error no_price(const std::string& model);

}  // namespace models
