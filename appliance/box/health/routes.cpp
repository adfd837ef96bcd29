#include "appliance/box/health/routes.h"

#include <unistd.h>
#include <cmath>

#include "store/codec.h"
#include "web/endpoint.h"
#include "web/metrics.h"

namespace health {

namespace {

using Answer = web::Task<web::Result<web::Response>>;

struct Alive {
  std::string status = "ok";
  store::Time timestamp{};
  std::string docker, provisioning, store;
  std::int64_t stalledEventLoops = 0;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(Alive, (), (status, timestamp, docker, provisioning, store, stalledEventLoops, reason))

struct Cpu {
  double usage = 0;
  std::int64_t cores = 0;
};
BOOST_DESCRIBE_STRUCT(Cpu, (), (usage, cores))

struct Memory {
  double usage = 0;
  std::uint64_t total = 0, used = 0, free = 0;
};
BOOST_DESCRIBE_STRUCT(Memory, (), (usage, total, used, free))

struct Machine {
  std::string status = "ok", health;
  store::Time timestamp{};
  Cpu cpu;
  Memory memory;
  double uptime = 0;
};
BOOST_DESCRIBE_STRUCT(Machine, (), (status, health, timestamp, cpu, memory, uptime))

struct Unmeasured {
  std::string status = "error", health = "unhealthy";
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(Unmeasured, (), (status, health, timestamp))

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double rounded(double percent) { return std::round(percent * 10) / 10; }

web::Response measure(HostMeter& host, std::chrono::steady_clock::time_point started) {
  try {
    const HostLoad load = host.read();
    const Machine answer{
        .health = std::string(verdict(load)),
        .timestamp = store::now(),
        .cpu = {rounded(load.cpu_percent), load.cores},
        .memory = {rounded(load.memory_percent), load.memory_total, load.memory_used, load.memory_free},
        .uptime = seconds_since(started)};
    return web::reply(answer, 200);
  } catch (const std::exception&) {
    const Unmeasured answer{.timestamp = store::now()};
    return web::reply(answer, 500);
  }
}

}  // namespace

std::vector<web::Route> routes(const RouteParts& parts) {
  auto alive = [parts](web::Request&) -> Answer {
    auto problem = parts.store_problem();
    const Alive answer{.timestamp = store::now(),
                       .docker = parts.docker.available() ? "available" : "unavailable",
                       .provisioning = parts.provisioning_enabled ? "enabled" : "disabled",
                       .store = problem ? "read-only" : "ok",
                       .stalledEventLoops = static_cast<std::int64_t>(parts.stalled_loops()),
                       .reason = std::move(problem)};
    co_return web::reply(answer, 200);
  };
  auto machine = [&host = parts.host, started = std::chrono::steady_clock::now()](web::Request&) -> Answer {
    co_return measure(host, started);
  };
  return {
      {web::GET, "/health", parts.guards.none, nullptr,
       web::plain(alive).returns<Alive>().describe(
           "`store` is read-only after a write error, and `reason` says why. `stalledEventLoops` counts network "
           "threads "
           "that have not come back to their event loop for 10 s; the log has their stacks."),
       "Whether the box lives"},
      {web::GET, "/api/health", parts.guards.none, nullptr,
       web::plain(machine).returns<Machine>().describe(
           "Usage in percent, memory in bytes, uptime in seconds. In a container with limits of its own: of those."),
       "How busy the machine is"},
  };
}

std::vector<web::Route> metrics_routes(const agentbox::Guards& guards) {
  auto text = [](web::Request&) -> Answer {
    co_return web::text(web::metrics().text(), "text/plain; version=0.0.4; charset=utf-8");
  };
  return {{web::GET, "/metrics", guards.internal_key, nullptr, web::plain(text), "Figures for Prometheus"}};
}

}  // namespace health
