// Counters, gauges and histograms, written as Prometheus text. Updating is lock-free and callable from every thread.
// Own code because Debian ships prometheus-cpp only as a shared library (docs/decisions/0003).
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
  std::uint64_t count() const;
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::span<const double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;  // one more than bounds, for values above the last
  std::atomic<double> sum_{0};
};

// The registry. References stay valid for its lifetime; the same name and labels return the same object. Names follow
// Prometheus practice: agentbox_..._seconds, agentbox_..._total.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Counter& counter(std::string name, std::string help, Labels = {});
  Histogram& histogram(std::string name, std::string help, Labels = {});
  // Read when the text is written; a later gauge of the same name and labels replaces it.
  void gauge(std::string name, std::string help, std::function<double()> read, Labels = {});
  // Removes one gauge, before the object that it reads is destroyed.
  void remove(const std::string& name, const Labels& = {});

  // Series that `owner` keeps in less memory than the registry would: `each` reports them whenever the text is written,
  // until forget(owner).
  template <class Count>
  using Report = std::function<void(const Labels&, const Count&)>;
  void counters(std::string name, std::string help, const void* owner,
                std::function<void(const Report<Counter>&)> each);
  void histograms(std::string name, std::string help, const void* owner,
                  std::function<void(const Report<Histogram>&)> each);
  void forget(const void* owner);

  std::string text() const;  // Prometheus exposition format 0.0.4; without families that report nothing

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
