// What this process has done with the server of its store, for metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace store::postgres {

struct Activity {
  std::atomic<bool> is_used{false};  // a store on a server was opened
  std::atomic<std::uint64_t> round_trips{0}, connects{0}, time_outs{0}, repeated_groups{0}, looked_up_outcomes{0};
  std::atomic<std::int64_t> open{0}, in_use{0};  // connections
  std::atomic<bool> is_answering{true};
};
Activity& activity();

}  // namespace store::postgres
