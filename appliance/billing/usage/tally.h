// The counters of usage. One tally for each period and slice, named usage/<period>/<slice>; models and tools are
// counted by month only. Calls with users' own provider keys are counted in slices of their own instead of all, models
// and tools, and in those of their agent and key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/period.h"
#include "appliance/billing/usage/records.h"
#include "store/store.h"

namespace usage {

// The names of slices.
namespace slice {

inline constexpr std::string_view all = "all", own_keys = "own-key";
// The calls of a month that were paid from credits. They are included in `all`, but not in the plan's quota.
inline constexpr std::string_view credits = "credits";

// The kinds of slices that exist once for each id.
inline constexpr std::string_view agents = "agent", keys = "key", models = "model", tools = "tool";
// A kind for calls with users' own provider keys: "own-model", "own-tool".
std::string with_own_keys(std::string_view kind);
// "agent/<id>"
std::string of(std::string_view kind, std::string_view id);
inline std::string agent(std::string_view id) { return of(agents, id); }
inline std::string key(std::string_view id) { return of(keys, id); }

}  // namespace slice

// The fields of a tally, in stored order.
enum class TallyField : std::size_t {
  // Limits apply to these two, which count usage and reservations. In the slices all, agent and key.
  tokens,
  cost,  // Money::units
  // Usage.
  all_calls,  // including failed ones
  failed,
  input,
  output,
  cached,
  reasoning,
  paid,  // Money::units
  // In the slices all and own-key.
  latency,      // milliseconds, of successful calls
  streamed,     // calls with a time to first token
  first_token,  // milliseconds
  // In all slices.
  unpriced,  // calls whose cost is unknown
};

store::CounterName tally(const Period&, std::string_view slice);

// An upper limit on one field of a tally.
struct Limit {
  std::string tally;
  std::int64_t most = 0;  // tokens, or Money::units
  TallyField field = TallyField::tokens;
  std::string name;  // identifies the limit to its creator
};

// The amounts of a call that limits apply to.
struct Amounts {
  std::int64_t tokens = 0, cost = 0;
  static Amounts of(const Call& call) { return {call.input_tokens + call.output_tokens, call.cost}; }
  friend Amounts operator-(Amounts a, Amounts b) { return {a.tokens - b.tokens, a.cost - b.cost}; }
};

// The limit of a call that is paid from the user's credits: what the account holds.
Limit limit_of_credits(std::string name);

// Reserves the amounts of `call` in each of its tallies, within `limits`.
void reserve(store::Change&, const Call& call, const std::vector<Limit>& limits);
// Counts the usage of `call`. All of its amounts except `rest` were reserved before.
void count(store::Change&, const Call& call, Amounts rest);

// The slices of a call's model, agent, key and tools: "model/<id>", "own-model/<id>", ...
std::vector<std::string> named_slices_of(const Call&);

}  // namespace usage
