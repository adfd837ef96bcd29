#include "appliance/box/health/handlers.h"

#include <cmath>

#include "appliance/foundation/redaction.h"
#include "appliance/media/programs/programs.h"
#include "web/metrics.h"
#include "web/routes/endpoint.h"

namespace health {

namespace {

struct UnknownHealth {
  std::string status = "error", health = "unhealthy";
  store::Time timestamp{};
};
BOOST_DESCRIBE_STRUCT(UnknownHealth, (), (status, health, timestamp))

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double rounded(double percent) { return std::round(percent * 10) / 10; }

}  // namespace

web::Answer box_health(const Services& services, const web::Request&, HealthQuery query) {
  auto problem = services.store_problem();
  const bool is_read_only = problem.has_value();
  const auto room = services.disk.admit();
  if (!room && !problem) problem = room.error().message;
  const int status = is_read_only && query.strict ? 503 : 200;
  auto isolation = services.isolation();
  for (auto& lack : isolation.lacks) lack = agentbox::redact_paths(lack);
  BoxHealth answer{.status = problem ? "degraded" : "ok",
                   .timestamp = store::now(),
                   .docker = services.docker.available() ? "available" : "unavailable",
                   .provisioning = services.provisioning_enabled ? "enabled" : "disabled",
                   .store = is_read_only ? "read-only" : "ok",
                   .disk = room ? "ok" : "reserve reached",
                   .isolation = boost::describe::enum_to_string(isolation.level, "none"),
                   .isolationLacks = std::move(isolation.lacks),
                   .stalledEventLoops = static_cast<std::int64_t>(services.stalled_loops()),
                   .missingPackages = programs::missing_packages(),
                   .certificate = {},
                   .certificateProblem = {},
                   .reason = std::move(problem)};
  if (const auto certificate = services.certificate()) {
    answer.certificate = certificate->is_self_signed ? "self-signed" : "issued";
    if (!certificate->problem.empty()) answer.certificateProblem = agentbox::redact_paths(certificate->problem);
  }
  co_return web::reply(answer, status);
}

web::Answer show_liveness(const Services& services, const web::Request&) {
  const Liveness answer{.ok = !services.store_problem()};
  co_return web::reply(answer, answer.ok ? 200 : 503);
}

web::Answer show_readiness(const Services& services, const web::Request&) {
  Readiness answer{.failing = {}, .uptimeMs = static_cast<std::int64_t>(seconds_since(services.started) * 1000)};
  if (services.store_problem()) answer.failing.emplace_back("store");
  answer.ready = answer.failing.empty();
  co_return web::reply(answer, answer.ready ? 200 : 503);
}

web::Answer machine_health(const Services& services, const web::Request&) {
  try {
    const HostLoad load = services.host.read();
    auto problem = services.store_problem();
    const MachineHealth answer{
        .health = std::string(verdict(load)),
        .timestamp = store::now(),
        .cpu = {rounded(load.cpu_percent), load.cores},
        .memory = {rounded(load.memory_percent), load.memory_total, load.memory_used, load.memory_free},
        .uptime = seconds_since(services.started),
        .store = problem ? "read-only" : "ok",
        .reason = std::move(problem)};
    co_return web::reply(answer);
  } catch (const std::exception&) {
    co_return web::reply(UnknownHealth{.timestamp = store::now()}, 500);
  }
}

web::Answer metrics_text(const Services&, const web::Request&) {
  co_return web::text(web::metrics().text(), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace health
