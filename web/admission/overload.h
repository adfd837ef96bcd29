// Overload: which requests are refused so that the others are answered in time. A refused request gets 503 with the
// code OVERLOADED and Retry-After.
#pragma once

#include <chrono>

#include "web/protocol/http.h"

namespace web {

inline constexpr std::string_view overloaded_code = "OVERLOADED";

// Not logged as a failure of the box: there may be many.
inline Error overloaded(std::string message = "The box is overloaded. Try again in a moment.") {
  auto error = unavailable(std::move(message));
  error.code = overloaded_code;
  return error;
}

// Answered under any load, so that monitoring sees a busy box and not a dead one.
bool is_health(const Request&);

// Reads are cheap: they are refused last.
inline bool is_cheap(Method method) { return method == Method::get || method == Method::head; }

// Decides by waiting time, as CoDel does: requests are refused once all requests have waited longer than the target for
// an interval, and then only those that have waited longer. A few requests are never refused: they wait for a busy
// machine and not for each other. Cheap requests have a longer target than others, which
// come back to the event loop several times and wait each time. For the requests of one thread.
class LoadShedder {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds target{100}, costly_target{50}, interval{100}, sample_interval{5};
  static constexpr int least_queue = 16;  // requests above the target in a row

  // Whether this request's waiting time is needed: of every request while there may be an overload, else now and then.
  bool needs_measure(Clock::time_point now) const { return is_suspicious_ || now - measured_at_ >= sample_interval; }
  // Counts a request that has waited so long before it was read. Returns whether to refuse it.
  bool refuses(Clock::duration waited, bool is_cheap, Clock::time_point now);
  // When the connection of a request refused now is read again. Clients that try again at once would take the time
  // that the other requests need.
  Clock::time_point next_turn(Clock::time_point now);

 private:
  struct State {
    Clock::duration target;
    Clock::time_point above_since = Clock::time_point::max();  // no shorter wait since then
    int above = 0;                                             // requests since then
  };
  static bool is_over(const State& state, Clock::time_point now) {
    return now - interval >= state.above_since && state.above >= least_queue;
  }

  State cheap_{.target = target}, costly_{.target = costly_target};
  Clock::time_point measured_at_{}, next_turn_{};
  bool is_suspicious_ = false;
};

}  // namespace web
