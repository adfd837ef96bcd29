#include "appliance/foundation/trusted_time.h"

#include <algorithm>

namespace agentbox {

store::Time ForwardClock::at(store::Time wall, std::chrono::steady_clock::time_point steady) {
  using std::chrono::milliseconds;
  const auto ticks = std::chrono::duration_cast<milliseconds>(steady.time_since_epoch()).count();
  const auto ahead = wall.time_since_epoch().count() - ticks;
  auto most = ahead_.load(std::memory_order_relaxed);
  while (most < ahead && !ahead_.compare_exchange_weak(most, ahead, std::memory_order_relaxed)) continue;
  return store::Time(milliseconds(ticks + std::max(most, ahead)));
}

store::Time trusted_now() {
  static ForwardClock clock;
  return clock.at(store::now(), std::chrono::steady_clock::now());
}

}  // namespace agentbox
