// Bounds how many large bodies are received at once; only rows that stream their body accept them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace web {

// Callable from every thread.
class LargeBodies {
 public:
  // One large body, counted as long as it exists; empty if no place is free. LargeBodies must outlive it.
  using Place = std::shared_ptr<const void>;

  LargeBodies(std::size_t most, std::size_t max_per_client) : most_(most), max_per_client_(max_per_client) {}

  Place enter(const std::string& client) {
    const std::lock_guard lock(mutex_);
    if (taken_ == most_) return nullptr;
    auto& own = by_client_[client];
    if (own == max_per_client_) return nullptr;
    ++taken_;
    ++own;
    return {this, [client](LargeBodies* bodies) { bodies->leave(client); }};
  }

 private:
  void leave(const std::string& client) {
    const std::lock_guard lock(mutex_);
    --taken_;
    const auto own = by_client_.find(client);
    if (--own->second == 0) by_client_.erase(own);
  }

  const std::size_t most_, max_per_client_;
  std::mutex mutex_;  // protects what follows
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> by_client_;
};

}  // namespace web
