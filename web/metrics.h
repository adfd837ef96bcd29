// Counters, gauges and histograms, written as Prometheus text. Updating is lock-free and callable from every thread.
// Own code because Debian ships prometheus-cpp only as a shared library (docs/decisions.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
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

// Seconds. Without bounds: from 100 microseconds to 60 seconds.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds = {});
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  std::uint64_t bucket(std::size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;                             // ascending upper bounds
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;  // one more than bounds: beyond the last
  std::atomic<double> sum_{0};
};

// The registry. References stay valid for its lifetime; asking again for the same name and labels gives the same
// object. Names follow Prometheus practice: agentbox_..._seconds, agentbox_..._total.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Counter& counter(std::string name, std::string help, Labels = {});
  Histogram& histogram(std::string name, std::string help, Labels = {}, std::vector<double> bounds = {});
  // Read when the text is written; a later one of the same name and labels replaces it.
  void gauge(std::string name, std::string help, std::function<double()> read, Labels = {});
  // Forgets one gauge: what it reads is about to end.
  void remove(const std::string& name, const Labels& = {});
  std::string text() const;  // Prometheus exposition format 0.0.4

 private:
  struct Series;
  struct Family;
  Series& series(std::string name, std::string help, const char* type, const Labels&);

  mutable std::mutex mutex_;  // protects families_, not the values
  std::vector<std::unique_ptr<Family>> families_;
};

Metrics& metrics();  // the process's registry

}  // namespace web
