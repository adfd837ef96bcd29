#include "appliance/hosting/agents/watch_span.h"

#include <boost/describe/enum_to_string.hpp>

namespace watchdog {

namespace {

spans::Status status_of(State state) {
  switch (state) {
    case State::degraded:
    case State::crash_loop:
      return spans::Status::error;
    case State::stopped:
      return spans::Status::idle;
    default:
      return spans::Status::success;
  }
}

}  // namespace

spans::Span span_of(const Watch& watch) {
  spans::Span span;
  span.owner = watch.owner;
  span.type = spans::Type::monitor;
  span.agent = watch.id;
  span.status = status_of(watch.state);
  span.name = boost::describe::enum_to_string(watch.state, "");
  span.started_at = store::now();
  if (watch.history.empty()) return span;
  const auto& event = watch.history.back();
  span.started_at = event.at;
  if (span.status == spans::Status::error)
    span.error = event.reason;
  else if (!event.reason.empty())
    span.name += ": " + event.reason;
  return span;
}

}  // namespace watchdog
