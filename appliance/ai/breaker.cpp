#include "appliance/ai/breaker.h"

#include <algorithm>

namespace ai {

bool Breaker::counts(Fault fault) {
  switch (fault) {
    case Fault::overloaded:
    case Fault::upstream_error:
    case Fault::bad_answer:
    case Fault::unreachable:
    case Fault::timeout:
      return true;
    default:
      return false;
  }
}

bool Breaker::admit(Clock::time_point now, bool is_last_resort) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || (is_last_resort && !is_slow_)) return true;
  if (probing_ || now < open_until_) return false;
  probing_ = true;
  return true;
}

void Breaker::succeeded() {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
  is_open_ = probing_ = is_slow_ = false;
  pause_ = first_pause;
}

void Breaker::failed(Fault fault, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!counts(fault)) {
    probing_ = false;
    return;
  }
  failures_ += fault == Fault::timeout ? threshold : 1;
  if (failures_ < threshold) return;
  if (probing_) pause_ = std::min(2 * pause_, longest_pause);
  probing_ = false;
  is_open_ = true;
  is_slow_ = fault == Fault::timeout;
  open_until_ = now + pause_;
}

void Breaker::abandoned() {
  const std::lock_guard lock(mutex_);
  probing_ = false;
}

Circuit Breaker::state(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return Circuit::closed;
  return now < open_until_ ? Circuit::open : Circuit::half_open;
}

std::chrono::seconds Breaker::wait(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || now >= open_until_) return std::chrono::seconds(1);
  return std::chrono::ceil<std::chrono::seconds>(open_until_ - now);
}

}  // namespace ai
