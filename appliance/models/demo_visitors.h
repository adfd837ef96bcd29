// What each visitor of the public demo has had of its day: nobody can take the whole of it from the others.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "store/codec.h"

namespace models {

// In memory only. Callable from every thread.
class DemoVisitors {
 public:
  // `daily` tokens are there for all visitors together, a quarter of them for each. False: this one has no more of them
  // today (UTC). The first request of a day is always admitted.
  bool admit(const std::string& visitor, std::int64_t tokens, std::int64_t daily, store::Time now);
  // What was admitted on that day and not used.
  void give_back(const std::string& visitor, std::int64_t tokens, store::Time admitted_at);

 private:
  std::mutex mutex_;  // protects what follows
  std::string day_;
  std::map<std::string, std::int64_t> used_;  // tokens of that day
};

}  // namespace models
