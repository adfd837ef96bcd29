// Limits failed sign-ins per account, wherever they come from.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "web/result.h"

namespace accounts {

// In memory: a restart resets it. Unknown addresses count like known ones, so a refusal does not reveal whether there
// is an account. Callable from every thread.
class LoginLimit {
 public:
  using Clock = std::chrono::steady_clock;
  struct Rule {
    unsigned failures = 10;
    std::chrono::seconds window{15 * 60};  // from the first failure
  };

  LoginLimit(Rule rule, bool enabled) : rule_(rule), enabled_(enabled) {}

  // How long the account is still locked; nothing if it is not.
  std::optional<std::chrono::seconds> blocked(const std::string& email, Clock::time_point now = Clock::now());
  void failed(const std::string& email, Clock::time_point now = Clock::now());
  void succeeded(const std::string& email);

 private:
  struct Window {
    Clock::time_point since;
    unsigned failures = 0;
  };
  // More accounts than can be guessed at within a window, given what one hash costs.
  static constexpr std::size_t capacity = 100'000;

  std::chrono::seconds left(const Window&, Clock::time_point now) const;
  bool full(Clock::time_point now);  // removes windows that are over; under mutex_

  const Rule rule_;
  const bool enabled_;
  std::mutex mutex_;
  std::unordered_map<std::string, Window> windows_;  // protected by mutex_
};

// too_many, with the time that is left as Retry-After.
web::Error locked_for(std::chrono::seconds, std::string message);

}  // namespace accounts
