// The clock of a box that lives through its past: it runs as the machine's does, but behind it.
#pragma once

#include <atomic>
#include <chrono>

#include "store/clock.h"

namespace demo {

inline constinit std::atomic<std::chrono::system_clock::rep> fake_clock_offset{0};

// From now on it is `time` for the box. Agents' own processes keep the machine's time.
inline void set_fake_clock(std::chrono::system_clock::time_point time) {
  fake_clock_offset = (time - std::chrono::system_clock::now()).count();
  store::set_clock(
      [] { return std::chrono::system_clock::now() + std::chrono::system_clock::duration(fake_clock_offset.load()); });
}

// From now on the box has the machine's time again.
inline void remove_fake_clock() { store::set_clock(nullptr); }

}  // namespace demo
