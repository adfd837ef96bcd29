// Reserves attempts in the usage ledger before they are made, and settles them afterwards.
#pragma once

#include <optional>

#include "appliance/billing/usage/ledger.h"
#include "appliance/models/attempt.h"
#include "appliance/models/providers/provider.h"
#include "web/task.h"

namespace models {

// Callable from every thread; the ledger must outlive it.
class CallMeter {
 public:
  explicit CallMeter(usage::Ledger& ledger) : ledger_(ledger) {}

  // Reserves the maximum that the attempt can use. If that exceeds a limit, an answer without a limit set by the caller
  // is shortened once. Returns the limit that is still exceeded.
  web::Task<std::optional<usage::Limit>> reserve(Attempt&);
  // Replaces the reservation by the usage of the answer or the failure. Of a streamed answer that was cut off, what has
  // arrived of it is charged; of one that was to come whole, the reserved maximum, since the provider may have made all
  // of it.
  web::Task<> settle(Attempt&, const ChatRequest&, const Outcome<ChatAnswer>&);
  // An answer from the cache is recorded as a call without cost.
  web::Task<> record_cached(const billing::Payer&, const ChatAnswer&);

 private:
  // The most output tokens that fit within a limit.
  std::int64_t room_within(const usage::Limit&, const Attempt&) const;
  // The attempt exceeds this limit. Whether the user's credits pay for it instead; its limits are then theirs.
  static bool move_to_credits(Attempt&, const usage::Limit& exceeded);
  std::int64_t shortened_answer(const Attempt&, std::int64_t max_tokens) const;

  usage::Ledger& ledger_;
};

}  // namespace models
