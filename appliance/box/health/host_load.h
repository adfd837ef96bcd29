// How busy the machine is, from /proc; or, where the box may not have all of it, its share (cgroup.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "appliance/box/health/cgroup.h"

namespace health {

struct HostLoad {
  double cpu_percent = 0;                                            // of all cores together
  unsigned cores = 1;                                                // of a share of them the next whole number
  std::uint64_t memory_total = 0, memory_used = 0, memory_free = 0;  // bytes; free is what programs could still get
  double memory_percent = 0;
};

// Callable from every thread.
class HostMeter {
 public:
  explicit HostMeter(Cgroup cgroup = Cgroup()) : cgroup_(std::move(cgroup)) {}

  // The processor's share since the last call, or since the one before when that is under a second ago; the first time
  // since the machine started, or nothing where only a share of it is the box's. Throws std::runtime_error when /proc
  // does not tell.
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
