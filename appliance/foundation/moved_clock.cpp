// The linker sends every call of std::chrono::system_clock::now() here (--wrap, appliance/CMakeLists.txt), so that no
// code has to be handed a clock that only the demo moves.
#include "appliance/foundation/moved_clock.h"

#include <atomic>

namespace agentbox {

namespace {

std::atomic<std::chrono::milliseconds::rep> moved_by{0};

}  // namespace

// The names that the linker gives to the function that is called, and to the one of the library.
std::chrono::system_clock::time_point called_now() noexcept asm("__wrap__ZNSt6chrono3_V212system_clock3nowEv");
std::chrono::system_clock::time_point library_now() noexcept asm("__real__ZNSt6chrono3_V212system_clock3nowEv");

std::chrono::system_clock::time_point called_now() noexcept {
  return library_now() + std::chrono::milliseconds(moved_by.load(std::memory_order_relaxed));
}

void move_clock(std::chrono::milliseconds by) { moved_by = by.count(); }

std::chrono::system_clock::time_point machine_time() { return library_now(); }

}  // namespace agentbox
