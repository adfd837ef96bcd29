// The load of the machine, from /proc, or relative to the limits of the box's control group (cgroup.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "appliance/box/health/cgroup.h"

namespace health {

struct HostLoad {
  double cpu_percent = 0;                                            // of all cores
  unsigned cores = 1;                                                // a fractional share is rounded up
  std::uint64_t memory_total = 0, memory_used = 0, memory_free = 0;  // bytes; free: available to programs
  double memory_percent = 0;
};

// Callable from every thread.
class HostMeter {
 public:
  explicit HostMeter(Cgroup cgroup = Cgroup()) : cgroup_(std::move(cgroup)) {}

  // Processor usage is that since the last call, or since the one before if that is less than a second ago. The first
  // call measures since boot, or returns 0 if the box has a processor limit. Throws std::runtime_error if /proc cannot
  // be read.
  HostLoad read();

 private:
  struct Ticks {
    std::uint64_t busy = 0, all = 0;
  };
  static Ticks read_ticks();
  double machine_percent();
  double share_percent(const CgroupCpu&, std::chrono::steady_clock::time_point now);

  const Cgroup cgroup_;
  std::mutex mutex_;  // protects what follows
  Ticks last_;
  std::optional<std::chrono::microseconds> share_used_;  // at read_at_
  double percent_ = 0;
  std::chrono::steady_clock::time_point read_at_{};
};

// healthy up to 70 percent of either, degraded up to 85, else unhealthy.
std::string_view verdict(const HostLoad&);

}  // namespace health
