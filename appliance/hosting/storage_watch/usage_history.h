// What agents use of processor and memory, over the last day.
#pragma once

#include <boost/describe.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/agents/target.h"
#include "appliance/runtime/engine.h"
#include "store/store.h"
#include "store/table.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"
#include "web/task.h"

namespace usage_history {

inline constexpr std::chrono::minutes interval{5};
inline constexpr std::int64_t intervals_kept = std::chrono::hours(24) / interval;

// The measurements of one interval. The id names the interval's place in the day, so that an agent never has more than
// `intervals_kept` rows: each replaces that of the day before.
struct Usage {
  std::int64_t owner = 0;
  std::string id;  // the agent's, a colon, and three digits: the number of intervals since midnight, UTC
  store::Time begin{};
  std::int64_t measurements = 0;
  double cpu_percent = 0;         // of one core, on average
  std::int64_t memory_bytes = 0;  // the most that was measured
};
BOOST_DESCRIBE_STRUCT(Usage, (), (owner, id, begin, measurements, cpu_percent, memory_bytes))

inline const store::Owned<Usage> table{{.family = "usage_history", .number = 143}, &Usage::owner, &Usage::id, {}};

using Clock = std::function<store::Time()>;

class UsageHistory {
 public:
  // All arguments must outlive it.
  UsageHistory(store::System system, const agents::AgentDirectory& agents, runtime::Engine& engine,
               Clock clock = store::now)
      : system_(std::move(system)), agents_(agents), engine_(engine), clock_(std::move(clock)) {}

  // To be called every few seconds, on one thread: measures the running agents whose last measurement is a minute old,
  // or that have none.
  web::Task<> look();
  // The intervals of the last day in which the agent was measured, oldest first. Callable from every thread.
  std::vector<Usage> last_day(store::UserId owner, const std::string& agent) const;
  // Callable from every thread.
  web::Task<> forget(store::UserId owner, std::string agent);

 private:
  // False: the engine does not respond.
  web::Task<bool> measure(store::UserId owner, std::string agent, store::Time at);
  web::Task<> record(store::UserId owner, std::string agent, store::Time at, runtime::InstanceStats);
  std::vector<Usage> rows_of(store::UserId owner, const std::string& agent) const;

  store::System system_;
  const agents::AgentDirectory& agents_;
  runtime::Engine& engine_;
  const Clock clock_;
  std::unordered_map<std::string, store::Time> measured_at_;  // of running agents; used by look() only
};

// What the rows depend on; all of it must outlive them.
struct Services {
  const UsageHistory& history;
  const agents::AgentDirectory& agents;
};

struct UsageView {
  store::Time at;
  double cpuPercent = 0;
  std::int64_t memoryBytes = 0;
};
BOOST_DESCRIBE_STRUCT(UsageView, (), (at, cpuPercent, memoryBytes))

struct HistoryAnswer {
  std::string id;
  std::int64_t intervalSeconds = 0;
  std::vector<UsageView> history;
};
BOOST_DESCRIBE_STRUCT(HistoryAnswer, (), (id, intervalSeconds, history))

// GET /api/agents/:id/stats/history.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace usage_history
