#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>

#include "appliance/billing/usage/report.h"
#include "appliance/network/colony/colony.h"
#include "appliance/network/platform_metrics/routes.h"
#include "web/routes/endpoint.h"

namespace platform_metrics {

struct TurnMetrics {
  std::int64_t total = 0, lastDay = 0;
  std::optional<double> successRate;  // of the last 100 of each agent, 0 to 1
};
BOOST_DESCRIBE_STRUCT(TurnMetrics, (), (total, lastDay, successRate))

struct UsageMetrics {
  std::string period;
  usage::TotalsView usage;
  std::optional<double> successRate, averageLatencyMs, averageTimeToFirstTokenMs;
};
BOOST_DESCRIBE_STRUCT(UsageMetrics, (), (period, usage, successRate, averageLatencyMs, averageTimeToFirstTokenMs))

struct Metrics {
  colony::AgentCounts agents;
  TurnMetrics turns;
  std::int64_t scheduledTasks = 0, spans = 0;
  UsageMetrics day, month;
  std::string currency = "USD", version;
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(Metrics, (), (agents, turns, scheduledTasks, spans, day, month, currency, version, timestamp))

web::Answer show_metrics(const Services&, const web::Request&);

}  // namespace platform_metrics
