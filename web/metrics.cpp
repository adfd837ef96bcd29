#include "web/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace web {
namespace {

const std::vector<double> usual_bounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                       0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};

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

std::vector<double> or_usual(std::vector<double> bounds) {
  if (bounds.empty()) return usual_bounds;
  return bounds;
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(or_usual(std::move(bounds))),
      buckets_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {}

void Histogram::observe(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

struct Metrics::Series {
  explicit Series(Labels l) : labels(std::move(l)) {}
  Labels labels;
  Counter counter;
  std::unique_ptr<Histogram> histogram;
  std::function<double()> read;
};

struct Metrics::Family {
  std::string name, help;
  const char* type;
  std::vector<std::unique_ptr<Series>> series;
};

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

Metrics::Series& Metrics::series(std::string name, std::string help, const char* type, const Labels& labels) {
  auto family = std::find_if(families_.begin(), families_.end(), [&](const auto& one) { return one->name == name; });
  if (family == families_.end()) {
    families_.push_back(std::make_unique<Family>(Family{std::move(name), std::move(help), type, {}}));
    family = std::prev(families_.end());
  }
  for (auto& one : (*family)->series)
    if (one->labels == labels) return *one;
  return *(*family)->series.emplace_back(std::make_unique<Series>(labels));
}

Counter& Metrics::counter(std::string name, std::string help, Labels labels) {
  const std::lock_guard lock(mutex_);
  return series(std::move(name), std::move(help), "counter", labels).counter;
}

Histogram& Metrics::histogram(std::string name, std::string help, Labels labels, std::vector<double> bounds) {
  const std::lock_guard lock(mutex_);
  auto& one = series(std::move(name), std::move(help), "histogram", labels);
  if (!one.histogram) one.histogram = std::make_unique<Histogram>(std::move(bounds));
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
  std::erase_if(families_, [](const auto& family) { return family->series.empty(); });
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& family : families_) {
    out += "# HELP " + family->name + " " + escaped(family->help, false) + "\n# TYPE " + family->name + " " +
           family->type + "\n";
    for (const auto& one : family->series) {
      if (one->histogram) {
        const auto& histogram = *one->histogram;
        std::uint64_t count = 0;
        for (std::size_t at = 0; at <= histogram.bounds().size(); ++at) {
          count += histogram.bucket(at);
          const auto bound = at < histogram.bounds().size() ? number(histogram.bounds()[at]) : "+Inf";
          out += family->name + "_bucket" + braces(one->labels, "le=\"" + bound + "\"") + " " + std::to_string(count) +
                 "\n";
        }
        out += family->name + "_sum" + braces(one->labels) + " " + number(histogram.sum()) + "\n";
        out += family->name + "_count" + braces(one->labels) + " " + std::to_string(count) + "\n";
      } else {
        const auto value = one->read ? number(one->read()) : std::to_string(one->counter.value());
        out += family->name + braces(one->labels) + " " + value + "\n";
      }
    }
  }
  return out;
}

Metrics& metrics() {
  static Metrics registry;
  return registry;
}

}  // namespace web
