#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "appliance/box/health/routes.h"
#include "store/codec.h"
#include "web/routes/described.h"
#include "web/routes/endpoint.h"

namespace health {

struct BoxHealth {
  std::string status = "ok";
  store::Time timestamp{};
  std::string docker, provisioning, store, disk, isolation;
  std::vector<std::string> isolationLacks;  // what of it does not hold, with the reason
  std::int64_t stalledEventLoops = 0;
  std::vector<std::string> missingPackages;  // of Debian, for streams and videos
  // With ACME_DIRECTORY: "issued" by the authority, or "self-signed" until it has answered; and why the last attempt
  // failed.
  std::optional<std::string> certificate, certificateProblem;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(BoxHealth, (),
                      (status, timestamp, docker, provisioning, store, disk, isolation, isolationLacks,
                       stalledEventLoops, missingPackages, certificate, certificateProblem, reason))

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

// Always 200, unless `strict` is asked for and the store is read-only: 503.
web::Answer box_health(const Services&, const web::Request&, HealthQuery);
// 503 while the store is read-only.
web::Answer show_liveness(const Services&, const web::Request&);
web::Answer show_readiness(const Services&, const web::Request&);
// 500 if /proc cannot be read.
web::Answer machine_health(const Services&, const web::Request&);
web::Answer metrics_text(const Services&, const web::Request&);

}  // namespace health
