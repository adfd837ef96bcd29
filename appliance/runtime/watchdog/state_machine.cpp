#include "appliance/runtime/watchdog/state_machine.h"

#include <algorithm>
#include <utility>

namespace watchdog {
namespace {

std::string text_of(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " seconds"
                                  : std::to_string(time.count()) + " ms";
}

std::string attempts(unsigned count) {
  return std::to_string(count) + (count == 1 ? " attempt" : " attempts") + " to repair it";
}

}  // namespace

Machine::Machine(const Policy& policy, std::uint32_t seed) : policy_(policy), random_(seed) {}

Step Machine::begin(TimePoint) {
  attempts_ = failures_ = 0;
  is_down_ = false;
  recent_.clear();
  return entered(act(Command::check_ready), State::starting, "");
}

Step Machine::resume(TimePoint now) {
  state_ = State::running;
  const auto longest = std::min(policy_.check_interval, policy_.degraded_check_interval);
  std::uniform_int_distribution<std::int64_t> some(0, longest.count());
  return wait(now + std::chrono::milliseconds(some(random_)), Command::check_live);
}

Step Machine::repair_asked(TimePoint now) {
  if (state_ == State::repairing) return unchanged();
  attempts_ = failures_ = 0;
  is_down_ = false;
  recent_.clear();
  return repair(now, "Its owner has it repaired");
}

Step Machine::wake(TimePoint now) {
  if (!due_ || now < *due_) return unchanged();
  return act(next_);
}

Step Machine::check_now(TimePoint) {
  const bool waits = state_ == State::running && awaiting_ == Command::nothing && due_;
  return waits ? act(Command::check_live) : unchanged();
}

Step Machine::report(TimePoint now, std::uint64_t ticket, Report report) {
  if (ticket != ticket_ || awaiting_ == Command::nothing) return unchanged();
  if (report.why.ends_with('.')) report.why.pop_back();  // becomes a part of sentences
  switch (std::exchange(awaiting_, Command::nothing)) {
    case Command::check_live:
    case Command::check_ready:
      return report.outcome == Outcome::good ? healthy(now) : unhealthy(now, std::move(report.why));
    case Command::kill:
      if (report.outcome == Outcome::unknown) return postpone_repair(now, std::move(report.why));
      return wait(now + policy_.pause_before_start, Command::start);
    case Command::start:
      return started(now, std::move(report));
    case Command::nothing:
    case Command::give_up:
      break;
  }
  return unchanged();
}

Step Machine::exited(TimePoint now, std::string how) {
  const bool is_over = state_ == State::stopped || state_ == State::crash_loop || is_down_;
  const bool is_being_replaced =
      awaiting_ == Command::kill || awaiting_ == Command::start || (due_ && next_ == Command::start);
  if (is_over || is_being_replaced) return unchanged();
  return crashed(now, std::move(how), false);
}

Step Machine::healthy(TimePoint now) {
  auto step = wait(regular(now, policy_.check_interval), Command::check_live);
  failures_ = 0;
  switch (state_) {
    case State::starting:
      return entered(std::move(step), State::running, "");
    case State::degraded:
      return entered(std::move(step), State::running, "It answers again.", Notice::recovered);
    case State::repairing:
      attempts_ = 0;
      return entered(std::move(step), State::running, "It answers again after its repair.", Notice::repaired);
    default:
      return step;
  }
}

Step Machine::unhealthy(TimePoint now, std::string why) {
  if (state_ == State::repairing) return repair(now, std::move(why));
  if (state_ == State::degraded && policy_.auto_repair) return repair(now, std::move(why));
  const auto again = state_ == State::starting ? Command::check_ready : Command::check_live;
  const bool is_patient = state_ == State::starting && ++failures_ < policy_.startup_failure_threshold;
  const bool is_known = state_ == State::degraded;
  if (is_patient || is_known) return wait(regular(now, policy_.degraded_check_interval), again);
  return entered(wait(regular(now, policy_.degraded_check_interval), Command::check_live), State::degraded,
                 std::move(why), Notice::degraded);
}

Step Machine::started(TimePoint now, Report report) {
  if (state_ == State::repairing) {
    if (report.outcome == Outcome::good) return wait(now + policy_.pause_before_verify, Command::check_ready);
    if (report.outcome == Outcome::unknown) return postpone_repair(now, std::move(report.why));
    return repair(now, std::move(report.why));
  }
  failures_ = 0;
  if (report.outcome == Outcome::good) return act(Command::check_ready);
  if (report.outcome == Outcome::unknown) return wait(now + policy_.degraded_check_interval, Command::start);
  return crashed(now, std::move(report.why), true);
}

Step Machine::crashed(TimePoint now, std::string how, bool in_start) {
  recent_.push_back(now);
  while (recent_.front() < now - policy_.crash_loop_window) recent_.pop_front();
  Step step;
  if (recent_.size() >= policy_.crash_loop_threshold) {
    step = give_up(how + "; it ended " + std::to_string(policy_.crash_loop_threshold) + " times within " +
                   text_of(policy_.crash_loop_window) + ", so it is not started again.");
  } else if (!policy_.auto_repair) {
    is_down_ = true;
    step = entered(act(Command::give_up), State::degraded, how + "; the box does not start it again by itself.",
                   Notice::degraded);
  } else if (state_ == State::repairing) {
    step = repair(now, std::move(how));
  } else if (in_start) {
    step = entered(wait(now + policy_.degraded_check_interval, Command::start), State::starting,
                   how + "; it is started once more.");
  } else {
    step = entered(act(Command::start), State::starting, how + "; it is started again.");
  }
  step.crashed = true;
  return step;
}

Step Machine::repair(TimePoint, std::string why) {
  if (attempts_ >= policy_.max_repair_attempts)
    return give_up(why + "; after " + attempts(attempts_) + " it is not started again.");
  ++attempts_;
  return entered(act(Command::kill), State::repairing, std::move(why));
}

// The engine does not respond: this is not a failure of the agent and does not count as an attempt.
Step Machine::postpone_repair(TimePoint now, std::string why) {
  --attempts_;
  return entered(wait(regular(now, policy_.degraded_check_interval), Command::check_live), State::degraded,
                 std::move(why));
}

Step Machine::give_up(std::string why) {
  attempts_ = 0;
  recent_.clear();
  return entered(act(Command::give_up), State::crash_loop, std::move(why), Notice::crash_loop);
}

Step Machine::act(Command command) {
  due_.reset();
  awaiting_ = command == Command::give_up ? Command::nothing : command;
  return {.command = command, .ticket = ++ticket_};
}

Step Machine::wait(TimePoint until, Command next) {
  awaiting_ = Command::nothing;
  due_ = until;
  next_ = next;
  return unchanged();
}

Step Machine::unchanged() const { return {.wake_at = due_}; }

Step Machine::entered(Step step, State to, std::string why, std::optional<Notice> notice) {
  state_ = to;
  step.entered = true;
  step.why = std::move(why);
  step.notice = notice;
  return step;
}

// Up to a tenth sooner, to spread the checks of agents that were started together.
TimePoint Machine::regular(TimePoint now, std::chrono::milliseconds interval) {
  std::uniform_int_distribution<std::int64_t> sooner(0, interval.count() / 10);
  return now + interval - std::chrono::milliseconds(sooner(random_));
}

}  // namespace watchdog
