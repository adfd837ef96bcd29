// The processor use of an agent between two measurements.
#pragma once

#include <chrono>

namespace runtime {

class CpuMeter {
 public:
  using Duration = std::chrono::duration<double>;

  // In percent of one core since the last call; the first time since the start. `used`: processor time since the start,
  // which was `age` ago.
  double percent(Duration used, Duration age) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_first = measured_at_ == std::chrono::steady_clock::time_point{};
    const Duration span = is_first ? age : Duration(now - measured_at_);
    const auto busy = used - used_;
    used_ = used;
    measured_at_ = now;
    return span.count() > 0 ? 100 * busy.count() / span.count() : 0;
  }

 private:
  Duration used_{0};
  std::chrono::steady_clock::time_point measured_at_{};
};

}  // namespace runtime
