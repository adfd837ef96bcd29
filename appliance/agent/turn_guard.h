// Notices turns that run in circles or spend too fast, so that they end before their budget does.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "appliance/models/chat.h"

namespace agent_process {

struct GuardLimits {
  std::size_t same_calls = 5;              // of one tool with the same arguments, without a new call in between
  std::size_t idle_rounds = 20;            // in a row, without a new call that succeeded
  std::int64_t tokens_a_minute = 500'000;  // of all turns of the agent
};

// Tokens used within the last minute.
class SpendRate {
 public:
  using Clock = std::chrono::steady_clock;

  void add(std::int64_t tokens, Clock::time_point now = Clock::now());
  std::int64_t last_minute(Clock::time_point now = Clock::now());

 private:
  std::deque<std::pair<Clock::time_point, std::int64_t>> spent_;
  std::int64_t sum_ = 0;
};

struct GuardStop {
  std::string_view code;  // same_calls, no_progress or spend_rate
  std::string reason;     // a sentence: "I called read_file 5 times with the same arguments."
};

// Of one turn. A call is new if the turn has not had its tool with these arguments before.
class TurnGuard {
 public:
  // The rate must outlive it.
  TurnGuard(GuardLimits limits, SpendRate& rate) : limits_(limits), rate_(rate) {}

  void saw_call(const models::ToolCall&, bool has_failed);
  // The calls of one answer have been run. Returns why the turn must stop, if it must.
  std::optional<GuardStop> end_round();

 private:
  const GuardLimits limits_;
  SpendRate& rate_;
  std::map<std::string, std::size_t> calls_;  // by tool and arguments: their number since the newest new call
  std::string repeated_;                      // the tool that was called too often
  bool has_progress_ = false;                 // in the current round
  std::size_t idle_rounds_ = 0;
};

}  // namespace agent_process
