// What is on air at the box's own server, and who listens.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace local {

// Callable from every thread.
class LiveSet {
 public:
  // With the key that the broadcast began with. False: the stream is on air already.
  bool add(const std::string& stream, std::string key);
  // False: it is not on air, or began with another key.
  bool remove(const std::string& stream, std::string_view key);
  // All of them go off the air. Returns which these were.
  std::vector<std::string> clear();
  bool contains(const std::string& stream) const;
  std::vector<std::string> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> streams_;  // and the keys of their broadcasts
};

// Counts the listeners of each stream: the addresses that have asked for its playlist lately. Callable from every
// thread.
class Audience {
 public:
  using Clock = std::chrono::steady_clock;

  void see(std::string_view playback_id, const std::string& client, Clock::time_point now);
  std::int64_t count(std::string_view playback_id, Clock::time_point now) const;

 private:
  using Seen = std::map<std::string, Clock::time_point>;
  static void forget_old(Seen&, Clock::time_point now);
  void forget_silent_streams(Clock::time_point now);  // with the mutex held

  mutable std::mutex mutex_;
  mutable std::map<std::string, Seen, std::less<>> streams_;
};

}  // namespace local
