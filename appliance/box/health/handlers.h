#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/box/acme/renewal.h"
#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/host_load.h"
#include "appliance/box/standby/bucket_copy.h"
#include "appliance/box/standby/shipper.h"
#include "appliance/foundation/disk_reserve.h"
#include "appliance/identity/audit/stream.h"
#include "appliance/runtime/isolation.h"
#include "store/codec.h"
#include "web/routes/bind.h"
#include "web/routes/described.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace health {

// All outlive the rows.
struct Services {
  HostMeter& host;
  const DockerProbe& docker;
  std::chrono::steady_clock::time_point started;  // when the box started
  bool provisioning_enabled;
  std::function<std::optional<std::string>()> store_problem;  // why the store is read-only; nothing if it is not
  std::function<std::size_t()> stalled_loops;                 // network threads that have left their event loop
  const agentbox::DiskReserve& disk;
  std::function<runtime::Isolation()> isolation;  // of agents
  std::function<std::optional<acme::Renewal::Status>()> certificate;
  std::function<std::string()> why_no_commands, why_no_browser;  // a sentence; empty: agents have them
  std::function<std::string()> why_processes;  // why agents run as processes; empty: they run in containers
  std::function<std::optional<audit::StreamStatus>()> audit_stream;  // nothing: there is none
  std::function<std::optional<store::Time>()> last_proven_restore;   // nothing: never
  std::function<std::optional<standby::Status>()> standby;           // nothing: STANDBY is off
  std::function<std::optional<standby::BucketStatus>()> bucket;      // nothing: there is none
  // Whether the caller may see lastProvenRestore: by a session on the web listener, by a key on the backend.
  std::function<bool(const web::Request&)> is_admin_on_web, is_admin_on_backend;
};

struct BoxHealth {
  std::string status = "ok";  // also when degraded, except with `strict`
  bool degraded = false;      // why: `reason`
  store::Time timestamp{};
  std::string agents;                       // containers or processes
  std::optional<std::string> agentsReason;  // why as processes
  std::string docker, provisioning, store, disk, isolation;
  std::vector<std::string> isolationLacks;  // what of it does not hold, with the reason
  // Of agents: on or off, and why off. The gate cannot be turned off. MCP servers that are programs need what commands
  // need.
  std::string gate = "on", commands, browser, mcpPrograms;
  std::optional<std::string> commandsReason, browserReason, mcpProgramsReason;
  std::int64_t stalledEventLoops = 0;
  std::vector<std::string> missingPackages;  // of Debian, for streams and videos
  // With ACME_DIRECTORY: "issued" by the authority, or "self-signed" until it has answered; and why the last attempt
  // failed.
  std::optional<std::string> certificate, certificateProblem;
  // With AUDIT_STREAM: "ok" or "failing", with the reason, and how many entries wait for the collector.
  std::optional<std::string> auditStream, auditStreamProblem;
  std::optional<std::int64_t> auditStreamPending;
  // With STANDBY: waiting, base, catching_up or following; and the age of the oldest change that is not on its disk.
  std::optional<std::string> standby;
  std::optional<std::int64_t> standbyLagMs;
  std::optional<bool> standbyDegraded;  // STANDBY=sync, and changes do not wait for it
  // With STANDBY_S3_ENDPOINT: "ok" or "failing", with the reason, and the age of the oldest change that it lacks.
  std::optional<std::string> bucket, bucketProblem;
  std::optional<std::int64_t> bucketLagMs;
  std::optional<store::Time> lastProvenRestore;  // for administrators only
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(BoxHealth, (),
                      (status, degraded, timestamp, agents, agentsReason, docker, provisioning, store, disk, isolation,
                       isolationLacks, gate, commands, commandsReason, browser, browserReason, mcpPrograms,
                       mcpProgramsReason, stalledEventLoops, missingPackages, certificate, certificateProblem,
                       auditStream, auditStreamProblem, auditStreamPending, standby, standbyLagMs, standbyDegraded,
                       bucket, bucketProblem, bucketLagMs, lastProvenRestore, reason))

// `strict` needs no value: /health?strict.
struct HealthQuery {
  std::optional<web::Text<0, 10>> strict;
};
BOOST_DESCRIBE_STRUCT(HealthQuery, (), (strict))

// Like the probes of an agent's gateway.
struct Liveness {
  bool ok = true;
  std::string status = "live";
};
BOOST_DESCRIBE_STRUCT(Liveness, (), (ok, status))

struct Readiness {
  bool ready = true;
  std::vector<std::string> failing;
  std::int64_t uptimeMs = 0;
};
BOOST_DESCRIBE_STRUCT(Readiness, (), (ready, failing, uptimeMs))

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

struct MachineHealth {
  std::string status = "ok", health;
  store::Time timestamp{};
  Cpu cpu;
  Memory memory;
  double uptime = 0;
  std::string store = "ok";
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(MachineHealth, (), (status, health, timestamp, cpu, memory, uptime, store, reason))

// GET /health and GET /api/health.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// The same, GET /metrics and GET /api/admin/metrics.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace health
