// The clock of the demo, which makes a past by living through it.
#pragma once

#include <chrono>

namespace agentbox {

// From now on std::chrono::system_clock in this process is ahead of the machine's clock by that much, or behind it.
// Timers follow the steady clock and are not affected. Only `agentbox demo` calls it.
void move_clock(std::chrono::milliseconds by);

// The machine's own time.
std::chrono::system_clock::time_point machine_time();

}  // namespace agentbox
