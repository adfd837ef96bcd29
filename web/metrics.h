// Counters, gauges and histograms, written as Prometheus text. Updating is lock-free and callable from every thread.
// Own code because Debian ships prometheus-cpp only as a shared library (docs/decisions.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
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
  Histogram();
  explicit Histogram(std::span<const double> bounds);  // ascending upper bounds, which outlive it
  void observe(double value);

  std::span<const double> bounds() const { return bounds_; }
  std::uint64_t bucket(std::size_t index) const { return buckets_[index].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::span<const double> bounds_;
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
  Histogram& histogram(std::string name, std::string help, Labels = {});
  // Read when the text is written; a later one of the same name and labels replaces it.
  void gauge(std::string name, std::string help, std::function<double()> read, Labels = {});
  // Forgets one gauge: what it reads is about to end.
  void remove(const std::string& name, const Labels& = {});

  // Counts that `owner` keeps, in less room than series of the registry's own take: `each` tells of them, whenever the
  // text is written, until the owner is forgotten.
  template <class Count>
  using Tell = std::function<void(const Labels&, const Count&)>;
  void counters(std::string name, std::string help, const void* owner, std::function<void(const Tell<Counter>&)> each);
  void histograms(std::string name, std::string help, const void* owner,
                  std::function<void(const Tell<Histogram>&)> each);
  void forget(const void* owner);

  std::string text() const;  // Prometheus exposition format 0.0.4

 private:
  struct Series;
  struct Kept;
  struct Family;
  Family& family(std::string name, std::string help, const char* type);
  Series& series(std::string name, std::string help, const char* type, const Labels&);
  void drop_empty();  // families without a series

  mutable std::mutex mutex_;  // protects families_, not the values
  std::vector<std::unique_ptr<Family>> families_;
};

Metrics& metrics();  // the process's registry

}  // namespace web
