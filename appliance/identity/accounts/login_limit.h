// Delays guesses at passwords and codes: the more failures, the longer.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "web/result.h"

namespace accounts {

// Counts failures by account and source (a network, a known device, a session), so that nobody's failures delay others.
// In memory: a restart resets it. Unknown accounts count like known ones, so a refusal does not reveal whether there is
// an account. Callable from every thread.
class LoginLimit {
 public:
  using Clock = std::chrono::steady_clock;
  struct Rule {
    unsigned free = 10;              // failures before the first delay
    std::chrono::seconds first{30};  // the first delay; each further failure doubles it
    std::chrono::seconds longest{15 * 60};
    std::chrono::hours memory{24};  // failures are forgotten so long after the last one
    unsigned alarm = 100;           // failures of one account within an hour, from all sources, that raise an alarm
    // Pairs of account and source, and accounts. Beyond it those with the fewest failures are dropped.
    std::size_t capacity = 50'000;
  };
  struct Delay {
    std::chrono::seconds left;
    unsigned limit = 0;  // Rule::free
  };

  LoginLimit(Rule rule, bool enabled) : rule_(rule), enabled_(enabled) {}

  // How long this source must still wait; nothing if it may try.
  std::optional<Delay> blocked(std::string_view account, std::string_view source, Clock::time_point now = Clock::now());
  // The failures of the account within the hour if they have just become too many, once an hour.
  std::optional<unsigned> failed(std::string_view account, std::string_view source,
                                 Clock::time_point now = Clock::now());
  // Forgets the failures of this source.
  void succeeded(std::string_view account, std::string_view source);
  // Forgets the failures of the account from all sources.
  void clear(std::string_view account);
  // Counts kept, of pairs and of accounts.
  std::size_t size() const;

 private:
  using Digest = std::array<std::uint64_t, 2>;
  struct Key {
    Digest account, source;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.account[0] ^ key.source[0]; }
    std::size_t operator()(const Digest& account) const { return account[0]; }
  };
  struct Failures {
    unsigned count = 0;
    Clock::time_point last;
  };
  struct Hour {
    unsigned count = 0;
    Clock::time_point since;
  };

  static Digest digest(std::string_view);
  static Key key(std::string_view account, std::string_view source) { return {digest(account), digest(source)}; }
  Clock::duration delay(unsigned failures) const;
  unsigned count_hour(const Digest& account, Clock::time_point now);  // under mutex_
  void make_room(Clock::time_point now);                              // under mutex_

  const Rule rule_;
  const bool enabled_;
  mutable std::mutex mutex_;
  // Protected by mutex_.
  std::unordered_map<Key, Failures, Hash> failures_;
  std::unordered_map<Digest, Hour, Hash> hours_;
};

// too_many, with the delay as Retry-After and in the RateLimit fields.
web::Error delayed(const LoginLimit::Delay&, std::string message);

}  // namespace accounts
