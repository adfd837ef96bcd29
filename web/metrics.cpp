#include "web/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace web {
namespace {

constexpr std::array usual_bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                  0.1,    0.25,    0.5,    1.0,   2.5,    5.0,   10.0, 30.0,  60.0};

// `quotes`: also of a label's value; a help text may hold them.
std::string escaped(const std::string& text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || (c == '"' && quotes))
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string braces(const Labels& labels, const std::string& more = {}) {
  std::string out;
  for (const auto& [name, value] : labels)
    (out += out.empty() ? "" : ",") += name + "=\"" + escaped(value, true) + "\"";
  if (!more.empty()) (out += out.empty() ? "" : ",") += more;
  return out.empty() ? out : "{" + out + "}";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void write(std::string& out, const std::string& name, const Labels& labels, const std::string& value) {
  out += name + braces(labels) + " " + value + "\n";
}

void write(std::string& out, const std::string& name, const Labels& labels, const Histogram& histogram) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at <= histogram.bounds().size(); ++at) {
    count += histogram.bucket(at);
    const auto bound = at < histogram.bounds().size() ? number(histogram.bounds()[at]) : "+Inf";
    out += name + "_bucket" + braces(labels, "le=\"" + bound + "\"") + " " + std::to_string(count) + "\n";
  }
  write(out, name + "_sum", labels, number(histogram.sum()));
  write(out, name + "_count", labels, std::to_string(count));
}

}  // namespace

Histogram::Histogram() : Histogram(usual_bounds) {}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), buckets_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1)) {}

void Histogram::observe(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count() const {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at <= bounds_.size(); ++at) sum += bucket(at);
  return sum;
}

struct Metrics::Series {
  explicit Series(Labels l) : labels(std::move(l)) {}
  Labels labels;
  Counter counter;
  std::unique_ptr<Histogram> histogram;
  std::function<double()> read;
};

struct Metrics::Kept {
  const void* owner;
  std::function<void(std::string& out, const std::string& name)> write;
};

struct Metrics::Family {
  std::string name, help;
  const char* type;
  std::vector<std::unique_ptr<Series>> series;
  std::vector<Kept> kept;
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Family& Metrics::family(std::string name, std::string help, const char* type) {
  for (auto& one : families_)
    if (one->name == name) return *one;
  return *families_.emplace_back(std::make_unique<Family>(Family{std::move(name), std::move(help), type, {}, {}}));
}

Metrics::Series& Metrics::series(std::string name, std::string help, const char* type, const Labels& labels) {
  auto& all = family(std::move(name), std::move(help), type).series;
  for (auto& one : all)
    if (one->labels == labels) return *one;
  return *all.emplace_back(std::make_unique<Series>(labels));
}

Counter& Metrics::counter(std::string name, std::string help, Labels labels) {
  const std::lock_guard lock(mutex_);
  return series(std::move(name), std::move(help), "counter", labels).counter;
}

Histogram& Metrics::histogram(std::string name, std::string help, Labels labels) {
  const std::lock_guard lock(mutex_);
  auto& one = series(std::move(name), std::move(help), "histogram", labels);
  if (!one.histogram) one.histogram = std::make_unique<Histogram>();
  return *one.histogram;
}

void Metrics::gauge(std::string name, std::string help, std::function<double()> read, Labels labels) {
  const std::lock_guard lock(mutex_);
  const auto* type = name.ends_with("_total") ? "counter" : "gauge";
  series(std::move(name), std::move(help), type, labels).read = std::move(read);
}

void Metrics::remove(const std::string& name, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  for (const auto& family : families_)
    if (family->name == name) std::erase_if(family->series, [&](const auto& one) { return one->labels == labels; });
  drop_empty();
}

void Metrics::counters(std::string name, std::string help, const void* owner,
                       std::function<void(const Report<Counter>&)> each) {
  const std::lock_guard lock(mutex_);
  family(std::move(name), std::move(help), "counter")
      .kept.push_back({owner, [each = std::move(each)](std::string& out, const std::string& called) {
                         each([&](const Labels& labels, const Counter& one) {
                           write(out, called, labels, std::to_string(one.value()));
                         });
                       }});
}

void Metrics::histograms(std::string name, std::string help, const void* owner,
                         std::function<void(const Report<Histogram>&)> each) {
  const std::lock_guard lock(mutex_);
  family(std::move(name), std::move(help), "histogram")
      .kept.push_back({owner, [each = std::move(each)](std::string& out, const std::string& called) {
                         each([&](const Labels& labels, const Histogram& one) { write(out, called, labels, one); });
                       }});
}

void Metrics::forget(const void* owner) {
  const std::lock_guard lock(mutex_);
  for (const auto& family : families_) std::erase_if(family->kept, [&](const auto& one) { return one.owner == owner; });
  drop_empty();
}

void Metrics::drop_empty() {
  std::erase_if(families_, [](const auto& family) { return family->series.empty() && family->kept.empty(); });
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& family : families_) {
    const auto begin = out.size();
    out += "# HELP " + family->name + " " + escaped(family->help, false) + "\n# TYPE " + family->name + " " +
           family->type + "\n";
    const auto head = out.size();
    for (const auto& one : family->series) {
      if (one->histogram)
        write(out, family->name, one->labels, *one->histogram);
      else
        write(out, family->name, one->labels, one->read ? number(one->read()) : std::to_string(one->counter.value()));
    }
    for (const auto& one : family->kept) one.write(out, family->name);
    if (out.size() == head) out.resize(begin);
  }
  return out;
}

Metrics& metrics() {
  static Metrics registry;
  return registry;
}

}  // namespace web
