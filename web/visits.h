// How many requests of one client are being handled, for listeners where each is dear.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace web {

// Callable from every thread.
class Visits {
 public:
  // Counts for as long as it lives.
  class Visit {
   public:
    Visit(Visits& visits, std::string client) : visits_(visits), client_(std::move(client)) {
      const std::lock_guard lock(visits_.mutex_);
      before_ = visits_.counts_[client_]++;
    }
    ~Visit() {
      const std::lock_guard lock(visits_.mutex_);
      const auto found = visits_.counts_.find(client_);
      if (--found->second == 0) visits_.counts_.erase(found);
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    // Of the same client, when this one came.
    std::size_t before() const { return before_; }

   private:
    Visits& visits_;
    const std::string client_;
    std::size_t before_ = 0;
  };

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace web
