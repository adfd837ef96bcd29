// Who is to be woken when: one timer serves however many there are.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace watchdog {

// Every call costs the logarithm of their number.
class Agenda {
 public:
  using SessionEpoch = std::chrono::steady_clock::time_point;

  // Takes the place of what was set for `id` before.
  void set(const std::string& id, SessionEpoch at) {
    clear(id);
    moments_.emplace(id, at);
    order_.emplace(at, id);
  }
  void clear(const std::string& id) {
    const auto known = moments_.find(id);
    if (known == moments_.end()) return;
    order_.erase({known->second, id});
    moments_.erase(known);
  }
  std::optional<SessionEpoch> next() const {
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
  }
  // Whoever is due by `now`, the earliest first; it is set no more.
  std::optional<std::string> take(SessionEpoch now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    auto id = order_.begin()->second;
    clear(id);
    return id;
  }

 private:
  std::set<std::pair<SessionEpoch, std::string>> order_;
  std::unordered_map<std::string, SessionEpoch> moments_;
};

}  // namespace watchdog
