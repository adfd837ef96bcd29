// How many requests each client has in progress, for listeners whose requests are expensive.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace web {

// Callable from every thread.
class ConcurrencyLimit {
 public:
  // One request in progress; counts as long as it exists.
  class Slot {
   public:
    Slot(ConcurrencyLimit& limit, std::string client) : limit_(limit), client_(std::move(client)) {
      const std::lock_guard lock(limit_.mutex_);
      before_ = limit_.counts_[client_]++;
    }
    ~Slot() {
      const std::lock_guard lock(limit_.mutex_);
      const auto found = limit_.counts_.find(client_);
      if (--found->second == 0) limit_.counts_.erase(found);
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    // Requests of the same client that were in progress before this one.
    std::size_t before() const { return before_; }

   private:
    ConcurrencyLimit& limit_;
    const std::string client_;
    std::size_t before_ = 0;
  };

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> counts_;
};

}  // namespace web
