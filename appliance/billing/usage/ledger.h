// The usage ledger: one durable row for each model call, and counters by day and month kept in the same change, so that
// quotas and dashboards read counters, not history.
//
// A call is reserved before it is made, with the most it can use, and settled after: each is one change of the store.
// What a crash leaves reserved is settled at that most by the next box, so nothing that was used is ever lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "appliance/billing/usage/period.h"
#include "appliance/billing/usage/records.h"
#include "appliance/billing/usage/tally.h"
#include "store/store.h"
#include "web/task.h"

namespace usage {

struct Totals {
  std::int64_t calls = 0, failed = 0;  // calls includes the failed ones
  std::int64_t input_tokens = 0, output_tokens = 0, cached_tokens = 0, reasoning_tokens = 0;
  Money cost;
  // Of a user's calls as a whole only. The sum over those that succeeded; how many had a first token to wait for, and
  // the sum of that.
  std::int64_t latency_ms = 0, streamed = 0, first_token_ms = 0;
  std::int64_t total_tokens() const { return input_tokens + output_tokens; }
};

// A call that may be made now, and has to be settled.
struct Reservation {
  Call most;           // what is reserved, with the call's id
  std::string stored;  // the row of it
};

// Callable from every thread; must not outlive the store.
class Ledger {
 public:
  explicit Ledger(store::System system) : system_(std::move(system)) {}

  // Fills in the call's id and writes it with its counters, all or nothing; returns once that is durable. For calls
  // that were not reserved. Throws store::Unavailable when the store is read-only.
  web::Task<> record(Call);

  // Takes the call with the most it can use, but for its id. The limit that has no room for it, by its place in
  // `limits`; otherwise it is reserved, which the end of the process does not undo. Throws store::Unavailable.
  web::Task<std::variant<Reservation, std::size_t>> reserve(Call most, const std::vector<Limit>& limits);
  // Puts what was used in the place of what was reserved. Should the power fail right after, the reservation may stand,
  // and is more. Throws store::Unavailable.
  web::Task<> settle(Call used, Reservation);
  // Records what an earlier box left reserved, at the most it can have used. Before the first reserve; blocks. How
  // many.
  std::size_t settle_leftovers();

  // What a figure holds that may be bounded: used and reserved.
  std::int64_t spent(store::UserId user, const store::CounterName& tally, Tallied figure) const {
    return system_.tally(user, tally)[static_cast<std::size_t>(figure)];
  }
  std::int64_t spent(store::UserId user, const Limit& limit) const { return spent(user, {limit.tally}, limit.figure); }
  Totals totals(store::UserId, const Period&) const;
  // Calls on the user's own provider keys, which are no part of the totals.
  Totals own_key_totals(store::UserId, const Period&) const;
  Totals agent_totals(store::UserId, std::string_view agent, const Period&) const;
  // Every agent, key, model or tool ("agent", "key", "model", "tool") that was used in the month, by id; models and
  // tools on the user's own provider keys are others ("own-model", "own-tool"). By these only months are counted.
  std::map<std::string, Totals> totals_by(store::UserId, std::string_view kind, const Period& month) const;
  // Newest first; those before the call `before`, if it is not empty.
  std::vector<Call> newest(store::UserId, std::size_t limit, std::string before = {}) const;

 private:
  Totals read(store::UserId, const store::CounterName& tally) const;
  // Adds the names of the call that its month does not have yet.
  void add_names(store::Change&, const Call&);
  bool is_known(const Name&);

  store::System system_;

  std::mutex mutex_;                             // protects the one below
  std::unordered_set<std::string> known_names_;  // some that are in the store: user, space, id
};

}  // namespace usage
