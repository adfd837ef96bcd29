// The counters of usage: one tally for each period and slice, by the name usage/<period>/<slice>. The slice is all,
// agent/<id>, key/<id>, model/<id> or tool/<name>; the last two are counted by month only. Calls on users' own provider
// keys are not among all, models and tools, but in own-key, own-model/<id> and own-tool/<name>.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/billing/usage/period.h"
#include "appliance/billing/usage/records.h"
#include "store/store.h"

namespace usage {

// The figures of a tally, in this order.
enum class Tallied : std::size_t {
  // What bounds are about: what was used and what is reserved, so that a bound on one is a bound on both. Of all,
  // agents and keys.
  tokens,
  cost,  // Money::units
  // What was used.
  made,  // calls, with those that failed
  failed,
  input,
  output,
  cached,
  reasoning,
  paid,  // Money::units
  // Of all and own-key.
  latency,      // milliseconds, of the calls that succeeded
  streamed,     // calls that had a first token to wait for
  first_token,  // milliseconds
};

store::CounterName tally(const Period&, std::string_view slice);

// A bound on one figure of a tally, and what to tell who meets it.
struct Limit {
  std::string tally;
  std::int64_t most = 0;  // tokens, or Money::units
  Tallied figure = Tallied::tokens;
  std::string name;  // whoever made the limit knows it by this again
};

// What of a call a bound is about.
struct Amounts {
  std::int64_t tokens = 0, cost = 0;
  static Amounts of(const Call& call) { return {call.input_tokens + call.output_tokens, call.cost}; }
  friend Amounts operator-(Amounts a, Amounts b) { return {a.tokens - b.tokens, a.cost - b.cost}; }
};

// Reserves the amounts of `call` in each tally it will count in, within `limits`.
void reserve(store::Change&, const Call& call, const std::vector<Limit>& limits);
// Counts what `call` has used, of which all but `rest` was reserved.
void count(store::Change&, const Call& call, Amounts rest);

// The models, agents, keys and tools of a call, which have a tally of their own: "model/<id>", "own-model/<id>".
std::vector<std::string> names_of(const Call&);

}  // namespace usage
