// Figures of the whole platform.
#pragma once

#include <boost/describe.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/billing/spans/recorder.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/billing/usage/report.h"
#include "appliance/network/colony/colony.h"
#include "store/store.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace platform_metrics {

// What the rows depend on; all of it must outlive them.
struct Services {
  store::System system;
  const usage::Ledger& ledger;
  spans::Recorder& recorder;
};

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

std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace platform_metrics
