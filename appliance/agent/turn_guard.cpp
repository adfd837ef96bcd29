#include "appliance/agent/turn_guard.h"

#include "web/utf8.h"

namespace agent_process {

namespace {

constexpr std::size_t max_shown_name_bytes = 64;

}  // namespace

void SpendRate::add(std::int64_t tokens, Clock::time_point now) {
  spent_.emplace_back(now, tokens);
  sum_ += tokens;
}

std::int64_t SpendRate::last_minute(Clock::time_point now) {
  while (!spent_.empty() && now - spent_.front().first > std::chrono::minutes(1)) {
    sum_ -= spent_.front().second;
    spent_.pop_front();
  }
  return sum_;
}

void TurnGuard::saw_call(const models::ToolCall& call, bool has_failed) {
  const auto [entry, is_new] = calls_.try_emplace(call.name + '\0' + call.arguments, 0);
  if (is_new && !has_failed) {
    has_progress_ = true;
    for (auto& [key, count] : calls_) count = 0;
  }
  if (++entry->second >= limits_.same_calls) repeated_ = web::utf8_prefix(call.name, max_shown_name_bytes);
}

std::optional<GuardStop> TurnGuard::end_round() {
  idle_rounds_ = std::exchange(has_progress_, false) ? 0 : idle_rounds_ + 1;
  if (!repeated_.empty())
    return GuardStop{"same_calls", "I called " + repeated_ + " " + std::to_string(limits_.same_calls) +
                                       " times with the same arguments."};
  if (idle_rounds_ >= limits_.idle_rounds)
    return GuardStop{"no_progress", "I made no progress in " + std::to_string(idle_rounds_) + " rounds."};
  if (const auto spent = rate_.last_minute(); spent > limits_.tokens_a_minute)
    return GuardStop{"spend_rate", "I used " + std::to_string(spent) + " tokens within a minute, and the limit is " +
                                       std::to_string(limits_.tokens_a_minute) + "."};
  return std::nullopt;
}

}  // namespace agent_process
