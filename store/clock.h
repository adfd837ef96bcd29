// The clock of everything that is stored or shown. It is the machine's unless a program injects another one.
#pragma once

#include <atomic>
#include <chrono>

namespace store {

// UTC, stored as milliseconds since the epoch.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// Called from every thread at any time.
using Clock = std::chrono::system_clock::time_point (*)();

inline constinit std::atomic<Clock> injected_clock{nullptr};

// From now on now() and precise_now() ask `clock`, in every thread; null: the machine's clock. Timers follow the steady
// clock and are not affected.
inline void set_clock(Clock clock) { injected_clock = clock; }

inline std::chrono::system_clock::time_point precise_now() {
  const auto injected = injected_clock.load(std::memory_order_relaxed);
  return injected ? injected() : std::chrono::system_clock::now();
}

inline Time now() { return std::chrono::floor<std::chrono::milliseconds>(precise_now()); }

}  // namespace store
