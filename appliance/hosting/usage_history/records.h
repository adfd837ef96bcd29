// What agents use of processor and memory, over the last day.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace usage_history {

inline constexpr std::chrono::minutes interval{5};
inline constexpr std::int64_t intervals_kept = std::chrono::hours(24) / interval;

// The measurements of one interval. The id names the interval's place in the day, so that an agent never has more than
// `intervals_kept` rows: each replaces that of the day before.
struct Usage {
  std::int64_t owner = 0;
  std::string id;  // the agent's, a colon, and three digits: the number of intervals since midnight, UTC
  store::Time begin{};
  std::int64_t measurements = 0;
  double cpu_percent = 0;         // of one core, on average
  std::int64_t memory_bytes = 0;  // the most that was measured
};
BOOST_DESCRIBE_STRUCT(Usage, (), (owner, id, begin, measurements, cpu_percent, memory_bytes))

inline const store::Owned<Usage> table{{.family = "usage_history", .number = 143}, &Usage::owner, &Usage::id, {}};

}  // namespace usage_history
