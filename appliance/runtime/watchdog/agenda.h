// Wake-up times of the agents, so that one timer serves all of them.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace watchdog {

// All operations take logarithmic time.
class Agenda {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Replaces the previous time of `id`.
  void set(const std::string& id, TimePoint at) {
    clear(id);
    times_.emplace(id, at);
    order_.emplace(at, id);
  }
  void clear(const std::string& id) {
    const auto known = times_.find(id);
    if (known == times_.end()) return;
    order_.erase({known->second, id});
    times_.erase(known);
  }
  std::optional<TimePoint> next() const { return order_.empty() ? std::nullopt : std::optional(order_.begin()->first); }
  // Removes and returns the earliest agent due by `now`.
  std::optional<std::string> take(TimePoint now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    auto id = order_.begin()->second;
    clear(id);
    return id;
  }

 private:
  std::set<std::pair<TimePoint, std::string>> order_;
  std::unordered_map<std::string, TimePoint> times_;
};

}  // namespace watchdog
