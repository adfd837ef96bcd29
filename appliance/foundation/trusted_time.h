// The time by which sessions and tokens expire. It is not stored: a clock that was once wrong by years would spoil it
// permanently. Tokens of other issuers, and schedules, follow the wall clock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "store/codec.h"

namespace agentbox {

// Follows the wall clock forwards only: if that is set back, time goes on as the steady clock does, so that nothing
// that has expired becomes valid again. Callable from every thread.
class ForwardClock {
 public:
  store::Time at(store::Time wall, std::chrono::steady_clock::time_point steady);

 private:
  std::atomic<std::int64_t> ahead_{INT64_MIN};  // the most that the wall clock was ahead of the steady one, in ms
};

// The present time of this process's ForwardClock. For what is compared with or becomes an expiry; what people see has
// store::now().
store::Time trusted_now();

}  // namespace agentbox
