#include "web/admission/overload.h"

#include <algorithm>
#include <utility>

namespace web {

namespace {

using namespace std::chrono_literals;

constexpr auto suspicious_wait = 10ms;
constexpr auto turn_spacing = 200us;  // 5,000 refusals a second for each thread
constexpr auto longest_pause = 1s;    // as Retry-After says

}  // namespace

bool is_health(const Request& request) {
  return is_cheap(request.method) && (request.path == "/health" || request.path == "/api/health" ||
                                      request.path == "/healthz" || request.path == "/readyz");
}

bool LoadShedder::refuses(Clock::duration waited, bool is_cheap, Clock::time_point now) {
  const bool is_sparse = now - std::exchange(measured_at_, now) >= interval;  // no queue lasted since the last request
  for (auto* state : {&cheap_, &costly_}) {
    if (waited < state->target || is_sparse) *state = {.target = state->target};
    if (waited < state->target) continue;
    state->above_since = std::min(state->above_since, now);
    ++state->above;
  }
  is_suspicious_ = waited >= suspicious_wait;
  const auto& state = is_cheap ? cheap_ : costly_;
  return waited >= state.target && is_over(state, now);
}

LoadShedder::Clock::time_point LoadShedder::next_turn(Clock::time_point now) {
  next_turn_ = std::clamp<Clock::time_point>(next_turn_ + turn_spacing, now, now + longest_pause);
  return next_turn_;
}

}  // namespace web
