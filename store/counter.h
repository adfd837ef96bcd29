// What is done to a counter, folded into one step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace store {

// Sums stop at the ends of the range instead of wrapping.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

// Any sequence of additions and maxima is x -> max(x + sum, floor).
class CounterStep {
 public:
  void add(std::int64_t delta) {
    sum_ = saturating_sum(sum_, delta);
    if (has_floor_) floor_ = saturating_sum(floor_, delta);
  }
  void raise(std::int64_t to) {
    floor_ = has_floor_ ? std::max(floor_, to) : to;
    has_floor_ = true;
  }
  std::int64_t applied_to(std::int64_t value) const {
    const auto sum = saturating_sum(value, sum_);
    return has_floor_ ? std::max(sum, floor_) : sum;
  }

 private:
  std::int64_t sum_ = 0, floor_ = 0;
  bool has_floor_ = false;
};

}  // namespace store
