// The load of running agents, measured by their engine in the background: a look at the fleet reads what was measured
// last. Only agents that somebody looks at are measured.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/runtime/engine.h"
#include "web/task.h"

namespace fleet {

// In percent of what its plan gives the agent, 0 to 100.
struct Load {
  double cpu = 0, memory = 0;
};

// Callable from every thread.
class LoadSampler {
 public:
  struct Target {
    std::string agent;
    billing::AgentResources resources;
  };

  // The engine must outlive it.
  LoadSampler(runtime::Engine&, boost::asio::io_context& home);
  ~LoadSampler();  // after stop(), or with `home` stopped

  // The loads known of these agents, in their order. Old ones are measured again meanwhile; if some were never
  // measured, waits for them a moment.
  web::Task<std::vector<Load>> loads(std::vector<Target>);
  // Waits for measurements in progress. On `home`.
  web::Task<> stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fleet
