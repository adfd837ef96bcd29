// Limits each visitor of the public demo to a share of its daily tokens.
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
  // Of `daily` tokens for all visitors, each may use a quarter. Returns false if this visitor's share of today (UTC) is
  // too small. The first request of a day is always admitted.
  bool admit(const std::string& visitor, std::int64_t tokens, std::int64_t daily, store::Time now);
  // Returns tokens that were admitted at that time and not used.
  void give_back(const std::string& visitor, std::int64_t tokens, store::Time admitted_at);

 private:
  std::mutex mutex_;  // protects day_ and used_
  std::string day_;
  std::map<std::string, std::int64_t> used_;  // tokens of that day
};

}  // namespace models
