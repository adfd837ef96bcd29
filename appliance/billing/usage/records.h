// One row a model call, and one for each call under way.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "appliance/billing/usage/money.h"
#include "store/table.h"

namespace usage {

// Whose calls those of visitors without an account are: the public demo. No account gets this number.
inline constexpr store::UserId demo_user = std::numeric_limits<std::int64_t>::max() - 1;
inline constexpr std::string_view demo_name = "demo";

struct Call {
  std::int64_t user_id = 0;
  std::string id;  // milliseconds since the epoch as 13 digits, '-', 12 characters of its own: ordered by time
  store::Time at{};
  std::string agent;     // empty: no agent
  std::string key;       // id of the API key; empty: none
  std::string provider;  // local, openrouter, anthropic, openai, google, builtin, cache
  std::string model;     // the one that served; for a failed call the one that was asked
  std::int64_t input_tokens = 0, output_tokens = 0;
  std::int64_t cached_tokens = 0, reasoning_tokens = 0;  // parts of input and of output
  bool estimated = false;                                // tokens are our own estimate, or an upper bound
  std::int64_t cost = 0;                                 // Money::units
  bool priced = false;   // false: the catalogue has no price for the model, so the cost is unknown, not zero
  bool own_key = false;  // asked with the user's own provider key: no part of the plan's quota
  std::int64_t latency_ms = 0;
  std::int64_t first_token_ms = 0;  // of streamed answers; 0: not streamed
  std::string outcome;              // ok, or the fault's name
  std::vector<std::string> tools;   // that the answer calls, each once
  std::vector<std::string> tried;   // before this one, for the same request: "provider/model: fault"
};
BOOST_DESCRIBE_STRUCT(Call, (),
                      (user_id, id, at, agent, key, provider, model, input_tokens, output_tokens, cached_tokens,
                       reasoning_tokens, estimated, cost, priced, own_key, latency_ms, first_token_ms, outcome, tools,
                       tried))

}  // namespace usage

// Two rows are written with every call, and most of their members are as here.
template <>
inline constexpr bool store::leaves_out_defaults<usage::Call> = true;

namespace usage {

inline const store::Owned<Call> calls{{.family = "usage", .number = 20}, &Call::user_id, &Call::id, {}};
// Calls under way, as they are to be recorded should nothing be heard of them any more: with the most they can have
// used.
inline const store::Owned<Call> reservations{
    {.family = "usage_reservations", .number = 61}, &Call::user_id, &Call::id, {}};

// Which agents, keys, models and tools have counters of a month: 2026-11/model/<id>.
struct Name {
  std::int64_t user_id = 0;
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Name, (), (user_id, id))

inline const store::Owned<Name> names{{.family = "usage_names", .number = 62}, &Name::user_id, &Name::id, {}};

}  // namespace usage
