// What the watchdog makes of one agent. Plain code: the moment is handed in, what is to be done is handed back, and
// whoever does it reports with the ticket it was given. Nothing here waits, and no two things are asked for at once.
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

using SessionEpoch = std::chrono::steady_clock::time_point;

// The contract's settings, and the two pauses of its repair sequence.
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
  check_live,   // does the gateway answer
  check_ready,  // and can it take messages
  kill,         // end its process, which may hang; it is still wanted
  start,        // good once it is ready
  give_up       // end its process; it is not wanted any more. Nothing is reported back
};

enum class Outcome { good, bad, unknown };  // unknown: whoever runs agents does not answer

struct Report {
  Outcome outcome = Outcome::good;
  std::string why;  // unless it is good
};

struct Step {
  Command command = Command::nothing;
  std::uint64_t ticket = 0;             // for the report
  std::optional<SessionEpoch> wake_at;  // when to call wake(); takes the place of an earlier answer
  bool entered = false;                 // state() is news, also when it is the same as before
  bool crashed = false;                 // an end of its process was counted
  std::optional<Notice> notice;         // people want to know
  std::string why;                      // entered: a sentence or its beginning
};

class Machine {
 public:
  // Begins `stopped`. The policy must outlive it; the seed spreads its checks.
  Machine(const Policy&, std::uint32_t seed);

  State state() const { return state_; }
  unsigned repair_attempts() const { return attempts_; }
  std::size_t recent_crashes() const { return recent_.size(); }

  Step begin(SessionEpoch now);         // it has been started for its owner: what was before is forgotten
  Step resume(SessionEpoch now);        // it is found running as a box before this one left it
  Step repair_asked(SessionEpoch now);  // by its owner: what was before is forgotten
  Step wake(SessionEpoch now);
  // Of the command with this ticket; one that was overtaken by something else changes nothing.
  Step report(SessionEpoch now, std::uint64_t ticket, Report);
  // Its process has ended, "The agent ended with exit code 3". What the machine itself brought about does not count.
  Step exited(SessionEpoch now, std::string how);

 private:
  Step healthy(SessionEpoch now);
  Step unhealthy(SessionEpoch now, std::string why);
  Step started(SessionEpoch now, Report);
  Step crashed(SessionEpoch now, std::string how, bool in_start);
  Step repair(SessionEpoch now, std::string why);
  Step postpone_repair(SessionEpoch now, std::string why);
  Step give_up(std::string why);

  Step act(Command);
  Step wait(SessionEpoch until, Command next);
  Step unchanged() const;
  Step entered(Step, State to, std::string why, std::optional<Notice> = {});
  SessionEpoch regular(SessionEpoch now, std::chrono::milliseconds interval);

  const Policy& policy_;
  std::minstd_rand random_;
  State state_ = State::stopped;
  bool is_down_ = false;             // degraded, without a process, until it is begun again
  unsigned failures_ = 0;            // starting: checks in a row
  unsigned attempts_ = 0;            // repairs since it was healthy
  std::deque<SessionEpoch> recent_;  // ends of its process within the window
  // Either a command is at work, or a moment is awaited, or nothing is left to do.
  Command awaiting_ = Command::nothing;
  std::uint64_t ticket_ = 0;
  std::optional<SessionEpoch> due_;
  Command next_ = Command::nothing;  // at due_
};

}  // namespace watchdog
