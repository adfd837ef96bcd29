// The usage ledger: one durable row per model call. Counters by day and month are kept in the same change, so that
// quotas and dashboards read counters instead of rows.
//
// A call is reserved before it is made, with the maximum it can use, and settled afterwards. Each step is one change of
// the store. Reservations left by a crash are settled at their maximum on the next start, so no usage is lost.
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
  std::int64_t unpriced = 0;  // calls whose cost is unknown, and so not in `cost`
  Money cost;
  // Only in the totals of all calls of a user: the sum over successful calls; the number of calls with a time to first
  // token, and its sum.
  std::int64_t latency_ms = 0, streamed = 0, first_token_ms = 0;
  std::int64_t total_tokens() const { return input_tokens + output_tokens; }
};

// A reserved call. It may be made, and has to be settled.
struct Reservation {
  Call most;           // with the call's id
  std::string stored;  // the bytes of its row
};

// Callable from every thread; must not outlive the store.
class Ledger {
 public:
  explicit Ledger(store::System system) : system_(std::move(system)) {}

  // Records a call without a reservation, with its counters in one change, and sets its id. Returns once that is
  // durable. Throws store::Unavailable when the store is read-only.
  web::Task<> record(Call);

  // `most`: the call with the maximum it can use, without an id. Returns the reservation, which survives the end of the
  // process, or the index in `limits` of the lowest limit that the call exceeds. Throws store::Unavailable.
  web::Task<std::variant<Reservation, std::size_t>> reserve(Call most, const std::vector<Limit>& limits);
  // Replaces the reservation by the actual usage. After a power failure the reservation may still be there, which
  // counts more, never less. Throws store::Unavailable.
  web::Task<> settle(Call used, Reservation);
  // Settles the reservations left by an earlier process, at their maximum; returns their number. Blocks. To be called
  // before the first reserve.
  std::size_t settle_leftovers();

  // Usage and reservations.
  std::int64_t spent(store::UserId user, const store::CounterName& tally, TallyField field) const {
    return system_.tally(user, tally)[static_cast<std::size_t>(field)];
  }
  std::int64_t spent(store::UserId user, const Limit& limit) const { return spent(user, {limit.tally}, limit.field); }
  Totals totals(store::UserId, const Period&) const;
  // Calls with the user's own provider keys, which totals() does not include.
  Totals own_key_totals(store::UserId, const Period&) const;
  // The calls of a month that credits paid for, which totals() includes. Only settled ones: it never decreases.
  Totals credit_totals(store::UserId, const Period& month) const;
  // The tokens of a month's quota that are used or reserved: all but those that credits paid for.
  std::int64_t quota_used(store::UserId, const Period& month) const;
  Totals agent_totals(store::UserId, std::string_view agent, const Period&) const;
  // The agents, keys, models or tools used in the month, by id. `kind` is one of slice::agents, keys, models, tools,
  // or slice::with_own_keys of the latter two.
  std::map<std::string, Totals> totals_by(store::UserId, std::string_view kind, const Period& month) const;
  // Newest first; with `before`, only calls before that id.
  std::vector<Call> newest(store::UserId, std::size_t limit, std::string before = {}) const;

 private:
  Totals read(store::UserId, const store::CounterName& tally) const;
  // Adds the names that are new in the month of the call.
  void add_names(store::Change&, const Call&);
  bool is_stored(const Name&);

  store::System system_;

  std::mutex mutex_;                              // protects stored_names_
  std::unordered_set<std::string> stored_names_;  // a cache of names in the store: user, space, id
};

}  // namespace usage
