// Overload: which requests are refused so that the others are answered in time. A refused request gets 503 with the
// code OVERLOADED and Retry-After.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

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

// How a request is shed. A stream lives for minutes or hours, so that its client may wait longer for its beginning.
enum class Work : std::uint8_t { read, stream, costly };
// A GET is a stream if its client accepts server-sent events, as EventSource says.
Work work_of(const Request&);

// Decides by waiting time, as CoDel does: requests are refused once all requests have waited longer than the target for
// an interval, and then only those that have waited longer. A few requests are never refused: they wait for a busy
// machine and not for each other. Reads have a longer target than costly requests, which come back to the event loop
// several times and wait each time. For the requests of one thread.
class LoadShedder {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds target{100}, stream_target{2'000}, costly_target{50}, interval{100},
      sample_interval{5};
  static constexpr int least_queue = 16;  // requests above the target in a row

  // Whether this request's waiting time is needed: of every request while there may be an overload, else now and then.
  bool needs_measure(Clock::time_point now) const { return is_suspicious_ || now - measured_at_ >= sample_interval; }
  // Counts a request that has waited so long before it was read. Returns whether to refuse it.
  bool refuses(Clock::duration waited, Work work, Clock::time_point now);
  // When the connection of a request refused now is read again, if the refusal cost so much time. Clients that try
  // again at once would take the time that the other requests need: refusals get a tenth of it.
  Clock::time_point next_turn(Clock::time_point now, Clock::duration cost = {});

 private:
  struct State {
    Clock::duration target;
    Clock::time_point above_since = Clock::time_point::max();  // no shorter wait since then
    int above = 0;                                             // requests since then
  };
  static bool is_over(const State& state, Clock::time_point now) {
    return now - interval >= state.above_since && state.above >= least_queue;
  }

  State read_{.target = target}, stream_{.target = stream_target}, costly_{.target = costly_target};
  Clock::time_point measured_at_{}, next_turn_{};
  bool is_suspicious_ = false;
};

// How many costly requests one thread works on at a time. The limit follows how long requests wait before they are
// read, not how long they take: a model may think for minutes, but a thread that reads late has too much to do.
class CostlyLimit {
 public:
  using Clock = LoadShedder::Clock;
  static constexpr std::size_t least = 32, most = 1'000'000;
  static constexpr std::chrono::milliseconds target = LoadShedder::costly_target / 2, period{100};
  static constexpr int least_measures = 8;     // in a period; fewer requests do not wait for each other
  static constexpr int tolerated_periods = 1;  // in which requests waited longer than the target on average

  // One request being served.
  class Place {
   public:
    explicit Place(CostlyLimit& limit) : limit_(&limit) {
      limit_->most_inside_ = std::max(limit_->most_inside_, ++limit_->inside_);
    }
    Place(Place&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (limit_) --limit_->inside_;
    }

   private:
    CostlyLimit* limit_;
  };

  // Counts a request that has waited so long before it was read, for another reason than a pause of its connection.
  void measured(Clock::duration waited, Clock::time_point now);
  bool is_full() const { return inside_ >= limit_; }
  std::size_t limit() const { return limit_; }

 private:
  std::size_t limit_ = most, inside_ = 0;
  // Of the period.
  Clock::time_point period_began_{};
  Clock::duration waited_{};  // all measures together
  int measures_ = 0;
  std::size_t most_inside_ = 0;
  int late_periods_ = 0;  // in a row, before this one
};

}  // namespace web
