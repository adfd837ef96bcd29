// One row per model call, and one per call in progress.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "appliance/billing/usage/money.h"
#include "store/table.h"

namespace usage {

// The owner of calls of the public demo's visitors. No account gets this number.
inline constexpr store::UserId demo_user = std::numeric_limits<std::int64_t>::max() - 1;
inline constexpr std::string_view demo_name = "demo";
// The owner of calls that visitors pay for at the gateway. No account gets this number either.
inline constexpr store::UserId gateway_user = std::numeric_limits<std::int64_t>::max() - 2;
inline constexpr std::string_view gateway_name = "gateway";

struct Call {
  std::int64_t user_id = 0;
  std::string id;  // milliseconds since the epoch as 13 digits, '-', 12 unique characters; ordered by time
  store::Time at{};
  std::string agent;     // empty: no agent
  std::string key;       // id of the API key; empty: none
  std::string provider;  // local, openrouter, anthropic, openai, google, builtin, cache
  std::string model;     // the model that served; for a failed call the requested one
  std::int64_t input_tokens = 0, output_tokens = 0;
  std::int64_t cached_tokens = 0, reasoning_tokens = 0;  // included in input and output
  bool estimated = false;                                // tokens are an estimate or an upper bound
  std::int64_t cost = 0;                                 // Money::units
  bool priced = false;   // false: the catalogue has no price for the model, so the cost is unknown, not zero
  bool own_key = false;  // made with the user's own provider key; not counted in the plan's quota
  // Money::units paid from the user's credits, beyond the plan's quota; of a reservation: set aside.
  std::int64_t credits = 0;
  std::int64_t latency_ms = 0;
  std::int64_t first_token_ms = 0;  // of streamed answers; 0: not streamed
  std::string outcome;              // ok, or the fault's name
  std::vector<std::string> tools;   // called by the answer, each once
  std::vector<std::string> tried;   // earlier attempts of the same request: "provider/model: fault"
};
BOOST_DESCRIBE_STRUCT(Call, (),
                      (user_id, id, at, agent, key, provider, model, input_tokens, output_tokens, cached_tokens,
                       reasoning_tokens, estimated, cost, priced, own_key, credits, latency_ms, first_token_ms, outcome,
                       tools, tried))

}  // namespace usage

// Two rows are written per call, and most members have their defaults.
template <>
inline constexpr bool store::leaves_out_defaults<usage::Call> = true;

namespace usage {

inline const store::Owned<Call> calls{
    {.family = "usage", .number = 20, .access = store::Access::by_history}, &Call::user_id, &Call::id, {}};
// Calls in progress, with the maximum they can use. That is what is recorded if the process ends before the call does.
inline const store::Owned<Call> reservations{
    {.family = "usage_reservations", .number = 61, .access = store::Access::transient}, &Call::user_id, &Call::id, {}};

// The agents, keys, models and tools with counters in a month: 2026-11/model/<id>.
struct Name {
  std::int64_t user_id = 0;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Name, (), (user_id, id))

inline const store::Owned<Name> names{{.family = "usage_names", .number = 62}, &Name::user_id, &Name::id, {}};

}  // namespace usage
