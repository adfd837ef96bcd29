// The numbers that an engine hands out when it is the only writer of its store.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "store/engine.h"

namespace store {

// Callable from every thread.
class Sequences {
 public:
  // The next number of the counter at `key`, and the write that keeps it: a number counts as handed out once that is
  // committed. `last` reads the counter the first time; what it throws is thrown, and the next call reads again.
  std::int64_t next(const std::string& key, const std::function<std::int64_t()>& last) {
    const std::lock_guard lock(mutex_);
    auto known = numbers_.find(key);
    if (known == numbers_.end()) known = numbers_.emplace(key, last()).first;
    return ++known->second;
  }
  static Batch keep(Family family, std::string key, std::int64_t number) {
    Batch batch;
    batch.writes.push_back({.kind = Write::Kind::raise, .family = family, .key = std::move(key), .fields = {number}});
    return batch;
  }

 private:
  std::mutex mutex_;  // protects what follows
  std::unordered_map<std::string, std::int64_t> numbers_;
};

}  // namespace store
