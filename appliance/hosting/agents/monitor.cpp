#include "appliance/hosting/agents/monitor.h"

#include "appliance/runtime/watchdog/probe.h"

namespace agents {
namespace {

using web::Result;
using web::Task;

constexpr std::chrono::seconds health_probe_timeout{2};

}  // namespace

Task<Result<runtime::Instance>> AgentMonitor::instance(const Agent& agent) { return engine_.inspect(agent.id); }

Task<runtime::Health> AgentMonitor::health(const Agent& agent, const Result<runtime::Instance>& instance) {
  if (!instance) co_return runtime::Health::unhealthy;
  if (instance->state != runtime::State::running) co_return runtime::Health::stopped;
  if (instance->health) co_return *instance->health;
  const auto port = std::uint16_t(agent.port.value_or(0));
  const auto report = co_await watchdog::probe(port, watchdog::Command::check_live, health_probe_timeout,
                                               engine_.gateway_traits(port).probe_path);
  co_return report.outcome == watchdog::Outcome::good ? runtime::Health::healthy : runtime::Health::starting;
}

Task<watchdog::Watch> AgentMonitor::watch(const Agent& agent) { return supervision_.look(agent); }

Task<Result<runtime::InstanceStats>> AgentMonitor::stats(const Agent& agent) { return engine_.stats(agent.id); }

}  // namespace agents
