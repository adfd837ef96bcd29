// One row a model call.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "appliance/usage/money.h"
#include "store/table.h"

namespace usage {

struct Call {
  std::int64_t user_id = 0;
  std::string id;  // milliseconds since the epoch as 13 digits, '-', 12 random characters: ordered by time
  store::Time at{};
  std::string agent;     // empty: no agent
  std::string provider;  // local, openrouter, builtin
  std::string model;     // the one that served; for a failed call the one that was asked for
  std::int64_t input_tokens = 0, output_tokens = 0;
  bool estimated = false;  // tokens are our own estimate
  std::int64_t cost = 0;   // Money::units
  bool priced = false;     // false: the catalogue has no price for the model, so the cost is unknown, not zero
  std::int64_t latency_ms = 0;
  std::string outcome;  // ok, or the fault's name
};
BOOST_DESCRIBE_STRUCT(Call, (),
                      (user_id, id, at, agent, provider, model, input_tokens, output_tokens, estimated, cost, priced,
                       latency_ms, outcome))

inline const store::Owned<Call> calls{{.family = "usage", .number = 20}, &Call::user_id, &Call::id, {}};

}  // namespace usage
