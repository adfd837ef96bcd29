#include "web/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <thread>

namespace web {
namespace metrics_test {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, AreWrittenInPrometheusFormat) {
  Metrics registry;
  registry.counter("agentbox_things_total", "Things\nmade.", {{"kind", "a \"quoted\"\\\n"}}).add(3);
  registry.gauge("agentbox_level", "How high.", [] { return 2.5; });
  const std::array bounds{0.1, 1.0};
  Histogram times(bounds);
  registry.histograms("agentbox_seconds", "How long.", &times, [&](const auto& report) { report({}, times); });
  times.observe(0.1);
  times.observe(0.5);
  times.observe(7);
  EXPECT_EQ(registry.text(),
            "# HELP agentbox_things_total Things\\nmade.\n# TYPE agentbox_things_total counter\n"
            "agentbox_things_total{kind=\"a \\\"quoted\\\"\\\\\\n\"} 3\n"
            "# HELP agentbox_level How high.\n# TYPE agentbox_level gauge\nagentbox_level 2.5\n"
            "# HELP agentbox_seconds How long.\n# TYPE agentbox_seconds histogram\n"
            "agentbox_seconds_bucket{le=\"0.1\"} 1\nagentbox_seconds_bucket{le=\"1\"} 2\n"
            "agentbox_seconds_bucket{le=\"+Inf\"} 3\nagentbox_seconds_sum 7.6\nagentbox_seconds_count 3\n");
}

TEST(Metrics, AskingAgainGivesTheSame) {
  Metrics registry;
  auto& first = registry.counter("agentbox_a_total", "A.", {{"x", "1"}});
  EXPECT_EQ(&registry.counter("agentbox_a_total", "A.", {{"x", "1"}}), &first);
  EXPECT_NE(&registry.counter("agentbox_a_total", "A.", {{"x", "2"}}), &first);
}

TEST(Metrics, AGaugeIsForgottenWithWhatItReads) {
  Metrics registry;
  registry.gauge("agentbox_gone", "Gone.", [] { return 1.0; });
  registry.remove("agentbox_gone");
  EXPECT_THAT(registry.text(), Not(HasSubstr("agentbox_gone 1")));
}

TEST(Metrics, SeriesOfAnOwnerAreReportedUntilForget) {
  Metrics registry;
  registry.counter("agentbox_all_total", "All.", {{"of", "registry"}}).add(1);
  std::map<std::string, Counter> rows;
  registry.counters("agentbox_all_total", "All.", &rows, [&](const auto& report) {
    for (const auto& [name, count] : rows) report({{"of", name}}, count);
  });
  rows["late"].add(2);
  const std::string of_registry =
      "# HELP agentbox_all_total All.\n# TYPE agentbox_all_total counter\nagentbox_all_total{of=\"registry\"} 1\n";
  EXPECT_EQ(registry.text(), of_registry + "agentbox_all_total{of=\"late\"} 2\n");
  registry.forget(&rows);
  EXPECT_EQ(registry.text(), of_registry);
}

TEST(Metrics, FamiliesThatReportNothingAreLeftOut) {
  Metrics registry;
  bool has_any = false;
  const Counter count;
  registry.counters("agentbox_rare_total", "Rare.", &count, [&](const auto& report) {
    if (has_any) report({}, count);
  });
  EXPECT_EQ(registry.text(), "");
  has_any = true;
  EXPECT_THAT(registry.text(), HasSubstr("agentbox_rare_total 0"));
}

TEST(Metrics, CountEveryAdditionOfManyThreads) {
  Metrics registry;
  auto& counter = registry.counter("agentbox_n_total", "N.");
  auto& times = registry.histogram("agentbox_n_seconds", "N.");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 10'000; ++n) {
          counter.add();
          times.observe(0.5);
        }
      });
  }
  EXPECT_EQ(counter.value(), 40'000u);
  const auto half = static_cast<std::size_t>(std::ranges::find(times.bounds(), 0.5) - times.bounds().begin());
  EXPECT_EQ(times.bucket(half), 40'000u);
  EXPECT_DOUBLE_EQ(times.sum(), 20'000);
}

}  // namespace metrics_test
}  // namespace web
