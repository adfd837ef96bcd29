#include "appliance/box/health/host_load.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace health {

namespace {

std::uint64_t memory_line(const std::string& key) {
  std::ifstream input("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (input >> name >> kibibytes) {
    if (name == key) return kibibytes * 1024;
    input.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  throw std::runtime_error("/proc/meminfo has no " + key);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : std::min(100.0, 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

HostMeter::Ticks HostMeter::read_ticks() {
  std::ifstream input("/proc/stat");
  std::string name;
  // user, nice, system, idle, iowait, irq, softirq, steal
  std::uint64_t field[8];
  if (!(input >> name) || name != "cpu") throw std::runtime_error("/proc/stat has no cpu line");
  Ticks ticks;
  for (auto& value : field) {
    if (!(input >> value)) throw std::runtime_error("/proc/stat has a short cpu line");
    ticks.all += value;
  }
  ticks.busy = ticks.all - field[3] - field[4];
  return ticks;
}

double HostMeter::machine_percent() {
  const Ticks ticks = read_ticks();
  // The kernel's counters may decrease a little when a processor is removed.
  const auto since = [](std::uint64_t value, std::uint64_t before) { return value > before ? value - before : 0; };
  const auto busy = percent(since(ticks.busy, last_.busy), since(ticks.all, last_.all));
  last_ = ticks;
  return busy;
}

double HostMeter::share_percent(const CgroupCpu& cpu, std::chrono::steady_clock::time_point now) {
  const auto before = std::exchange(share_used_, cpu.used);
  const std::chrono::duration<double> span = now - read_at_, busy = cpu.used - before.value_or(cpu.used);
  return before ? std::clamp(100 * busy.count() / (span.count() * cpu.cores), 0.0, 100.0) : 0;
}

HostLoad HostMeter::read() {
  HostLoad load{.cores = std::max(1u, std::thread::hardware_concurrency()),
                .memory_total = memory_line("MemTotal:"),
                .memory_free = memory_line("MemAvailable:")};
  load.memory_used = load.memory_total - std::min(load.memory_free, load.memory_total);
  if (const auto share = cgroup_.memory(); share && share->limit < load.memory_total) {
    load.memory_total = share->limit;
    load.memory_used = std::min(share->used, share->limit);
    load.memory_free = std::min(load.memory_free, share->limit - load.memory_used);
  }
  const auto cpu = cgroup_.cpu();
  const bool is_share = cpu && cpu->cores < load.cores;
  if (is_share) load.cores = std::max(1u, unsigned(std::ceil(cpu->cores)));
  load.memory_percent = percent(load.memory_used, load.memory_total);
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - read_at_ >= std::chrono::seconds(1)) {
    percent_ = is_share ? share_percent(*cpu, now) : machine_percent();
    read_at_ = now;
  }
  load.cpu_percent = percent_;
  return load;
}

std::string_view verdict(const HostLoad& load) {
  const double worst = std::max(load.cpu_percent, load.memory_percent);
  if (worst <= 70) return "healthy";
  return worst <= 85 ? "degraded" : "unhealthy";
}

}  // namespace health
