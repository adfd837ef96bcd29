#include "summarizer/runaway.h"

#include <csignal>
#include <system_error>

namespace summarizer {

RunawayGuard::RunawayGuard(std::chrono::milliseconds limit) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGVTALRM;
  if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0) {
    throw std::system_error(errno, std::generic_category(), "guard against a page that runs wild");
  }
  const auto whole = std::chrono::floor<std::chrono::seconds>(limit);
  const itimerspec once{
      .it_interval = {},
      .it_value = {.tv_sec = whole.count(), .tv_nsec = std::chrono::nanoseconds(limit - whole).count()}};
  ::timer_settime(timer_, 0, &once, nullptr);
}

RunawayGuard::~RunawayGuard() { ::timer_delete(timer_); }

}  // namespace summarizer
