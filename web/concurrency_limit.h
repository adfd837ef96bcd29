// How many requests of one visitor are being handled, for listeners where each is dear.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace web {

// Callable from every thread.
class ConcurrencyLimit {
 public:
  // Counts for as long as it lives.
  class Visit {
   public:
    Visit(ConcurrencyLimit& visits, std::string visitor) : visits_(visits), visitor_(std::move(visitor)) {
      const std::lock_guard lock(visits_.mutex_);
      before_ = visits_.counts_[visitor_]++;
    }
    ~Visit() {
      const std::lock_guard lock(visits_.mutex_);
      const auto found = visits_.counts_.find(visitor_);
      if (--found->second == 0) visits_.counts_.erase(found);
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    // Of the same visitor, when this one came.
    std::size_t before() const { return before_; }

   private:
    ConcurrencyLimit& visits_;
    const std::string visitor_;
    std::size_t before_ = 0;
  };

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace web
