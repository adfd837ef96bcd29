#include "web/admission/overload.h"

#include <algorithm>
#include <utility>

namespace web {

namespace {

using namespace std::chrono_literals;

constexpr auto suspicious_wait = 10ms;
constexpr LoadShedder::Clock::duration least_spacing = 200us, longest_spacing = 5ms;  // between refusals of one thread
constexpr int cost_share = 10;      // of a thread's time, for refusals: one in so many parts
constexpr auto longest_pause = 1s;  // as Retry-After says

}  // namespace

bool is_health(const Request& request) {
  return is_cheap(request.method) && (request.path == "/health" || request.path == "/api/health" ||
                                      request.path == "/healthz" || request.path == "/readyz");
}

Work work_of(const Request& request) {
  if (!is_cheap(request.method)) return Work::costly;
  return request.header("Accept").starts_with("text/event-stream") ? Work::stream : Work::read;
}

bool LoadShedder::refuses(Clock::duration waited, Work work, Clock::time_point now) {
  const bool is_sparse = now - std::exchange(measured_at_, now) >= interval;  // no queue lasted since the last request
  for (auto* state : {&read_, &stream_, &costly_}) {
    if (waited < state->target || is_sparse) *state = {.target = state->target};
    if (waited < state->target) continue;
    state->above_since = std::min(state->above_since, now);
    ++state->above;
  }
  is_suspicious_ = waited >= suspicious_wait;
  const auto& state = work == Work::read ? read_ : work == Work::stream ? stream_ : costly_;
  return waited >= state.target && is_over(state, now);
}

LoadShedder::Clock::time_point LoadShedder::next_turn(Clock::time_point now, Clock::duration cost) {
  const auto spacing = std::clamp<Clock::duration>(cost * cost_share, least_spacing, longest_spacing);
  next_turn_ = std::clamp<Clock::time_point>(next_turn_ + spacing, now, now + longest_pause);
  return next_turn_;
}

void CostlyLimit::measured(Clock::duration waited, Clock::time_point now) {
  if (now - period_began_ >= period) {
    const bool is_late = measures_ >= least_measures && waited_ >= target * measures_;
    late_periods_ = is_late ? late_periods_ + 1 : 0;
    if (late_periods_ > tolerated_periods)
      limit_ = std::max(least, std::min(limit_, most_inside_) / 4 * 3);
    else if (!is_late)
      limit_ = std::min(most, limit_ + limit_ / 8);
    period_began_ = now;
    waited_ = {};
    measures_ = 0;
    most_inside_ = inside_;
  }
  waited_ += waited;
  ++measures_;
}

}  // namespace web
