// The watchdog's state machine for one agent. It has no I/O: events and the current time go in, commands come out, and
// the result of a command is reported with its ticket. There is never more than one command outstanding.
//
//   starting ---- first healthy check ----------------> running
//   starting ---- checks in a row fail ---------------> degraded
//   running ----- a check fails ----------------------> degraded    (checked more often from now on)
//   degraded ---- healthy ----------------------------> running
//   degraded ---- the next check fails, auto-repair --> repairing   (kill, pause, start, pause, check)
//   repairing --- healthy ----------------------------> running
//   repairing --- attempts used up -------------------> crash_loop
//   any of them - its process ends -------------------> starting: started again at once, without a check before
//   any of them - ends too often in the window -------> crash_loop
//   any of them - its owner asks for it --------------> repairing
//   any of them - its process ends, no auto-repair ---> degraded, and nothing more is done
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>

namespace watchdog {

using TimePoint = std::chrono::steady_clock::time_point;

// The watchdog's settings and the two pauses of the repair sequence.
struct Policy {
  std::chrono::milliseconds check_interval{120'000}, degraded_check_interval{5'000};
  unsigned startup_failure_threshold = 3;  // failed checks in a row
  unsigned max_repair_attempts = 2;
  std::chrono::milliseconds crash_loop_window{300'000};
  unsigned crash_loop_threshold = 3;  // ends within the window
  bool auto_repair = true;
  std::chrono::milliseconds pause_before_start{5'000}, pause_before_verify{30'000};
};

BOOST_DEFINE_ENUM_CLASS(State, stopped, starting, running, degraded, crash_loop, repairing)
BOOST_DEFINE_ENUM_CLASS(Notice, degraded, recovered, repaired, crash_loop)

enum class Command {
  nothing,
  check_live,   // does the gateway respond
  check_ready,  // and can it take messages
  kill,         // end its process, which may hang; it is to be started again
  start,        // good once it is ready
  give_up       // end its process permanently; not reported back
};

enum class Outcome { good, bad, unknown };  // unknown: the engine does not respond

struct Report {
  Outcome outcome = Outcome::good;
  std::string why;  // unless it is good
};

struct Step {
  Command command = Command::nothing;
  std::uint64_t ticket = 0;          // for the report
  std::optional<TimePoint> wake_at;  // when to call wake(); replaces earlier values
  bool entered = false;              // a state was entered, possibly the same as before
  bool crashed = false;              // an end of its process was counted
  std::optional<Notice> notice;      // to notify people of
  std::string why;                   // entered: a sentence or its beginning
};

class Machine {
 public:
  // Begins `stopped`. The policy must outlive it; the seed spreads its checks.
  Machine(const Policy&, std::uint32_t seed);

  State state() const { return state_; }
  unsigned repair_attempts() const { return attempts_; }
  std::size_t recent_crashes() const { return recent_.size(); }

  Step begin(TimePoint now);         // started by its owner; resets all counters
  Step resume(TimePoint now);        // found running after a restart of the box
  Step repair_asked(TimePoint now);  // by its owner; resets all counters
  Step wake(TimePoint now);
  // Its owner looks at it: a running agent is checked now instead of when its check is due.
  Step check_now(TimePoint now);
  // The result of the command with this ticket. Outdated tickets are ignored.
  Step report(TimePoint now, std::uint64_t ticket, Report);
  // Its process has ended, "The agent ended with exit code 3". Ends caused by the machine itself are ignored.
  Step exited(TimePoint now, std::string how);

 private:
  Step healthy(TimePoint now);
  Step unhealthy(TimePoint now, std::string why);
  Step started(TimePoint now, Report);
  Step crashed(TimePoint now, std::string how, bool in_start);
  Step repair(TimePoint now, std::string why);
  Step postpone_repair(TimePoint now, std::string why);
  Step give_up(std::string why);

  Step act(Command);
  Step wait(TimePoint until, Command next);
  Step unchanged() const;
  Step entered(Step, State to, std::string why, std::optional<Notice> = {});
  TimePoint regular(TimePoint now, std::chrono::milliseconds interval);

  const Policy& policy_;
  std::minstd_rand random_;
  State state_ = State::stopped;
  bool is_down_ = false;          // degraded, without a process, until begin()
  unsigned failures_ = 0;         // starting: checks in a row
  unsigned attempts_ = 0;         // repairs since it was healthy
  std::deque<TimePoint> recent_;  // ends of its process within the window
  // Either a command is outstanding, or due_ is set, or there is nothing to do.
  Command awaiting_ = Command::nothing;
  std::uint64_t ticket_ = 0;
  std::optional<TimePoint> due_;
  Command next_ = Command::nothing;  // at due_
};

}  // namespace watchdog
