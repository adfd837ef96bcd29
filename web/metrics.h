// Counters, gauges and histograms, written as Prometheus text. Updating is lock-free and callable from every thread.
// Own code because Debian ships prometheus-cpp only as a shared library (docs/decisions.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace web {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Seconds, with fixed upper bounds from 100 microseconds to 60 seconds (`bounds`).
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);

 private:
  friend class Metrics;
  std::vector<double> bounds_;
  std::deque<std::atomic<std::uint64_t>> buckets_;  // one more than bounds: +Inf
  std::atomic<double> sum_{0};
};

// The registry. References stay valid for its lifetime. Names follow Prometheus practice: agentbox_..._seconds, _total.
class Metrics {
 public:
  Counter& counter(std::string name, std::string help, Labels = {});
  Histogram& histogram(std::string name, std::string help, Labels = {}, std::vector<double> bounds = {});
  // Read when the text is written.
  void gauge(std::string name, std::string help, std::function<double()> read, Labels = {});
  std::string text() const;  // Prometheus exposition format 0.0.4, metrics of one name together

 private:
  struct Series;
  mutable std::mutex mutex_;  // protects series_, not the values
  std::deque<Series> series_;

 public:
  Metrics();
  ~Metrics();
};

Metrics& metrics();  // the process's registry

}  // namespace web
