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

// Always 200, unless `strict` is asked for and the store is read-only: 503.
web::Answer box_health(const Services& services, const HealthQuery& query, bool is_admin) {
  auto problem = services.store_problem();
  const bool is_read_only = problem.has_value();
  const auto room = services.disk.admit();
  if (!room && !problem) problem = room.error().message;
  const int status = is_read_only && query.strict ? 503 : 200;
  auto isolation = services.isolation();
  for (auto& lack : isolation.lacks) lack = agentbox::redact_paths(lack);
  const auto why_processes = agentbox::redact_paths(services.why_processes());
  const auto why_no_commands = agentbox::redact_paths(services.why_no_commands()),
             why_no_browser = agentbox::redact_paths(services.why_no_browser());
  BoxHealth answer{.status = status == 200 ? "ok" : "degraded",
                   .degraded = problem.has_value(),
                   .timestamp = store::now(),
                   .agents = why_processes.empty() ? "containers" : "processes",
                   .agentsReason = {},
                   .docker = services.docker.available() ? "available" : "unavailable",
                   .provisioning = services.provisioning_enabled ? "enabled" : "disabled",
                   .store = is_read_only ? "read-only" : "ok",
                   .disk = room ? "ok" : "reserve reached",
                   .isolation = boost::describe::enum_to_string(isolation.level, "none"),
                   .isolationLacks = std::move(isolation.lacks),
                   .commands = why_no_commands.empty() ? "on" : "off",
                   .browser = why_no_browser.empty() ? "on" : "off",
                   .mcpPrograms = why_no_commands.empty() ? "on" : "off",
                   .commandsReason = {},
                   .browserReason = {},
                   .mcpProgramsReason = {},
                   .stalledEventLoops = static_cast<std::int64_t>(services.stalled_loops()),
                   .missingPackages = programs::missing_packages(),
                   .certificate = {},
                   .certificateProblem = {},
                   .auditStream = {},
                   .auditStreamProblem = {},
                   .auditStreamPending = {},
                   .standby = {},
                   .standbyLagMs = {},
                   .standbyDegraded = {},
                   .bucket = {},
                   .bucketProblem = {},
                   .bucketLagMs = {},
                   .lastProvenRestore = {},
                   .reason = std::move(problem)};
  if (!why_processes.empty()) answer.agentsReason = why_processes;
  if (!why_no_commands.empty()) answer.commandsReason = answer.mcpProgramsReason = why_no_commands;
  if (!why_no_browser.empty()) answer.browserReason = why_no_browser;
  if (const auto certificate = services.certificate()) {
    answer.certificate = certificate->is_self_signed ? "self-signed" : "issued";
    if (!certificate->problem.empty()) answer.certificateProblem = agentbox::redact_paths(certificate->problem);
  }
  if (const auto stream = services.audit_stream()) {
    answer.auditStream = stream->problem.empty() ? "ok" : "failing";
    if (!stream->problem.empty()) answer.auditStreamProblem = agentbox::redact_paths(stream->problem);
    answer.auditStreamPending = stream->pending;
  }
  if (const auto standby = services.standby()) {
    answer.standby = standby::to_string(standby->state);
    answer.standbyLagMs = standby->lag.count();
    if (standby->is_sync) answer.standbyDegraded = standby->is_degraded;
  }
  if (const auto bucket = services.bucket()) {
    answer.bucket = bucket->problem.empty() && !bucket->is_behind ? "ok" : "failing";
    if (!bucket->problem.empty()) answer.bucketProblem = agentbox::redact_paths(bucket->problem);
    answer.bucketLagMs = bucket->lag.count();
  }
  if (is_admin) answer.lastProvenRestore = services.last_proven_restore();
  co_return web::reply(answer, status);
}

web::Answer health_on_web(const Services& services, const web::Request& request, HealthQuery query) {
  co_return co_await box_health(services, query, services.is_admin_on_web(request));
}

web::Answer health_on_backend(const Services& services, const web::Request& request, HealthQuery query) {
  co_return co_await box_health(services, query, request.bearer() && services.is_admin_on_backend(request));
}

// 503 while the store is read-only.
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

// 500 if /proc cannot be read.
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

constexpr const char* health_text =
    "`status` is ok and the answer 200; `degraded` is true while `store` is read-only or the disk's reserve is "
    "reached. With `?strict` a read-only store is 503 with the status degraded. `agents` says whether agents run in "
    "containers or as processes, `agentsReason` why as processes. `store` is read-only from a write error until the "
    "disk takes writes again and the store was checked; `reason` has the cause. `disk` is `reserve reached` while less "
    "than DISK_RESERVE is free: agents, uploads, streams, videos and backups then write nothing. `isolation` is what "
    "keeps agents apart (strong, basic, none, container; docs/security.md); `isolationLacks` has what of it does not "
    "hold here, with the reason. `gate`, `commands`, `browser` and `mcpPrograms` (MCP servers that are programs of an "
    "agent) are on or off for agents, `commandsReason`, `browserReason` and `mcpProgramsReason` why off. "
    "`stalledEventLoops` counts network threads that have not returned to their event loop "
    "for 10 s; the log has their stacks. With AUDIT_STREAM `auditStream` is ok or failing, with the reason, and "
    "`auditStreamPending` the number of entries that wait for the collector. With STANDBY "
    "`standby` is waiting, base, catching_up or following, and `standbyLagMs` the age of the oldest change that is not "
    "on its disk. With STANDBY_S3_ENDPOINT `bucket` is ok or failing, with the reason, and `bucketLagMs` the age of "
    "the "
    "oldest change that it does not have. Administrators, with their session or the "
    "backend's key, also get `lastProvenRestore`: when a backup or the bucket was last restored on trial "
    "and found equal.";

using web::plain;

std::vector<web::Route> probes(const agentbox::Guards& guards, const web::Bind<Services>& on, web::Endpoint health) {
  const auto& open = guards.none;
  return {
      {web::GET, "/health", open, nullptr, std::move(health), "Health of the box"},
      {web::GET, "/healthz", open, nullptr,
       plain(on(show_liveness)).returns<Liveness>().describe("503 while the store is read-only."),
       "Whether the box works, for a container's liveness probe"},
      {web::GET, "/readyz", open, nullptr,
       plain(on(show_readiness))
           .returns<Readiness>()
           .describe("503 while the store is read-only: `failing` is then [\"store\"]."),
       "Whether the box can take requests, for a container's readiness probe"},
      {web::GET, "/api/health", open, nullptr,
       plain(on(machine_health))
           .returns<MachineHealth>()
           .describe("Usage in percent, memory in bytes, uptime in seconds. In a container with limits: relative to "
                     "these. `store` is read-only after a write error, until the box has recovered."),
       "Load of the machine"},
  };
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return probes(guards, on, web::query<HealthQuery>(on(health_on_web)).returns<BoxHealth>().describe(health_text));
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  auto table =
      probes(guards, on, web::query<HealthQuery>(on(health_on_backend)).returns<BoxHealth>().describe(health_text));
  table.push_back(
      {web::GET, "/metrics", guards.backend.box, nullptr, plain(on(metrics_text)), "Metrics in Prometheus format"});
  table.push_back({web::GET, "/api/admin/metrics", guards.backend.box, nullptr,
                   plain(on(metrics_text)).describe("As GET /metrics."), "Metrics in Prometheus format"});
  return table;
}

}  // namespace health
