// A circuit breaker: a provider that is down costs a few failed attempts or one time-out, and is then left alone for a
// while.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <mutex>

#include "appliance/ai/provider.h"

namespace ai {

BOOST_DEFINE_ENUM_CLASS(Circuit, closed, open, half_open)

// Closed: all pass. Open: none passes until the pause is over, but for last resorts where failing has been quick: those
// lose nothing by trying. Half-open: one passes, and decides; each failure of that one doubles the pause, up to a
// minute. Callable from every thread.
class Breaker {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int threshold = 3;  // failures in a row; a time-out is as many by itself
  static constexpr std::chrono::seconds first_pause{5}, longest_pause{60};

  // Whether an attempt may be made now; each that may is followed by one of the three below.
  bool admit(Clock::time_point now, bool is_last_resort = false);
  void succeeded();
  void failed(Fault, Clock::time_point now);
  void abandoned();  // ended by the caller: tells nothing

  Circuit state(Clock::time_point now) const;
  // Until an attempt may be made.
  std::chrono::seconds wait(Clock::time_point now) const;

  // Whether a fault speaks against the provider rather than against the request or the key.
  static bool counts(Fault);

 private:
  mutable std::mutex mutex_;  // protects all below
  int failures_ = 0;
  bool is_open_ = false, probing_ = false;
  bool is_slow_ = false;  // a time-out has opened it
  Clock::time_point open_until_{};
  std::chrono::seconds pause_ = first_pause;
};

}  // namespace ai
