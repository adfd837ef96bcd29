// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/box/capabilities.h"

#include <boost/asio/co_spawn.hpp>
#include <fstream>
#include <ranges>
#include <sstream>

#include "appliance/box/acme/renewal.h"
#include "appliance/box/administration/handlers.h"
#include "appliance/box/agent_transfer/handlers.h"
#include "appliance/box/console/handlers.h"
#include "appliance/box/console/security_txt.h"
#include "appliance/box/console/tls_authority.h"
#include "appliance/box/egress/handlers.h"
#include "appliance/box/health/docker_probe.h"
#include "appliance/box/health/gauges.h"
#include "appliance/box/health/handlers.h"
#include "appliance/box/health/status.h"
#include "appliance/box/listeners.h"
#include "appliance/box/live_events/handlers.h"
#include "appliance/box/live_events/sources.h"
#include "appliance/box/maintenance/handlers.h"
#include "appliance/box/maintenance/scheduled_backups.h"
#include "appliance/box/module.h"
#include "appliance/box/standby/bucket_copy.h"
#include "appliance/box/standby/shipper.h"
#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/redaction.h"
#include "appliance/hosting/command_features.h"
#include "web/log.h"
#include "web/metrics.h"

namespace console {

namespace {

struct Parts {
  explicit Parts(box::Module&) {}
  Services services() { return {}; }
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace console

namespace security_txt {

namespace {

struct Parts {
  explicit Parts(box::Module& module) : box(module) {}
  Services services() { return {box.platform.settings}; }
  box::Module& box;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace security_txt

// The root certificate of a box with an authority of its own, for the devices that are to trust it.
namespace tls_authority {

namespace {

// Only the certificate: the file may hold its key, too.
std::optional<std::string> certificate_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  try {
    return crypto::read_certificate(text.str()).pem;
  } catch (const std::runtime_error& error) {
    throw agentbox::UsageError("TLS_CA: cannot use " + file + ": " + error.what());
  }
}

struct Parts {
  explicit Parts(box::Module& module) : certificate(certificate_in(module.platform.settings.tls_ca)) {}
  Services services() { return {certificate}; }

  const std::optional<std::string> certificate;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace tls_authority

// A certificate from an authority for the web listener. No rows: the listeners answer the authority's challenges.
namespace acme {

namespace {

struct Services {};

struct Parts {
  explicit Parts(box::Module& module) : renewal(module.certificate) {}
  static Services services() { return {}; }
  web::Task<> start() {
    renewal.start();
    co_return;
  }
  web::Task<> stop() { return renewal.stop(); }

  Renewal& renewal;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({}); }

}  // namespace acme

namespace administration {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        step_up(box.identity.accounts, box.identity.sessions, box.identity.second_factor, box.identity.audit,
                box.recent_proofs),
        settings_file(box.platform.settings, box.setting_sources) {}
  Services services() { return {step_up, settings_file, box.identity.audit}; }

  box::Module& box;
  StepUp step_up;
  SettingsFile settings_file;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace administration

namespace health {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        launcher(hosting::make_launcher(module.hosting)),
        docker(module.platform.settings.docker_host),
        docker_probe(module.platform.home, "docker", 15s, [this] { return docker.ask(); }) {}

  Services services() {
    auto store_problem = [this] {
      auto reason = box.store.read_only_reason();
      if (reason) reason = agentbox::redact_paths(*reason);
      return reason;
    };
    return {host,
            docker,
            std::chrono::steady_clock::now(),
            box.platform.settings.provisioning_enabled,
            store_problem,
            [this] { return box.loop_watchdog.stalled(); },
            disk,
            [this] { return box.hosting.engine->isolation(); },
            [this] { return box.certificate.status(); },
            [this] { return hosting::why_no_commands(box.hosting); },
            [this] { return hosting::why_no_browser(box.hosting, launcher); },
            [this] {
              if (box.hosting.engine->name() == "docker") return std::string();
              const auto& why = box.hosting.why_processes();
              return why.empty() ? std::string("AGENT_RUNTIME is process") : why;
            },
            [this]() -> std::optional<audit::StreamStatus> {
              const auto& stream = box.identity.audit_stream;
              return stream.is_on() ? std::optional(stream.status()) : std::nullopt;
            },
            [this]() -> std::optional<store::Time> { return maintenance::last_proven_restore(box.platform.system); },
            [this]() -> std::optional<standby::Status> {
              return box.shipper ? std::optional(box.shipper->status()) : std::nullopt;
            },
            [this]() -> std::optional<standby::BucketStatus> {
              return box.bucket ? std::optional(box.bucket->status()) : std::nullopt;
            },
            [this](const web::Request& request) { return bool(box.identity.guards.admin_session.admit(request)); },
            [this](const web::Request& request) { return bool(box.identity.guards.backend.box.admit(request)); }};
  }
  web::Task<> start() {
    add_gauges(web::metrics(), box.store);
    docker_probe.start();
    co_return;
  }
  web::Task<> stop() { return docker_probe.stop(); }

  box::Module& box;
  const agentbox::DiskReserve disk{box.platform.folder.path(), box.platform.settings.disk_reserve};
  HostMeter host;
  const runtime::CommandLauncher launcher;
  DockerProbe docker;
  agentbox::Periodic docker_probe;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes, .backend = backend_routes}); }

}  // namespace health

namespace status {

namespace {

using namespace std::chrono_literals;

bool all_configured_serve(models::Providers& providers) {
  const auto now = models::Breaker::Clock::now();
  return std::ranges::all_of(providers.names(), [&](const std::string& name) {
    return !providers.find(name) || providers.breaker(name).whole().state(now) == models::Circuit::closed;
  });
}

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        docker(module.platform.settings.docker_host),
        docker_probe(module.platform.home, "status", 15s, [this] { return docker.ask(); }) {}

  bool runs_containers() const { return box.hosting.engine->name() == "docker"; }

  Services services() {
    return {.is_public = box.platform.settings.status_page,
            .checks = {.store_works = [this] { return !box.store.read_only_reason(); },
                       .models_work = [this] { return all_configured_serve(box.models.gateway.providers()); },
                       .agents_work = [this] { return !runs_containers() || docker.available(); }}};
  }

  web::Task<> start() {
    if (box.platform.settings.status_page && runs_containers()) docker_probe.start();
    co_return;
  }
  web::Task<> stop() { return docker_probe.stop(); }

  box::Module& box;
  health::DockerProbe docker;
  agentbox::Periodic docker_probe;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace status

namespace live_events {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : hub(sources_of(module.platform.system, module.hosting.billing.cap_policy), module.platform.home,
            module.platform.blocking,
            {.max_streams = module.platform.settings.streams_total,
             .max_per_user = module.platform.settings.streams_per_user,
             .looking = [&module](store::UserId user) { module.hosting.agents.attend(user); }}) {
    module.identity.events.sessions_ended.subscribe([this](store::UserId user) -> web::Task<> {
      hub.end(user, "The session has ended.");
      co_return;
    });
    // The previous holder of an account reads no more of it.
    module.identity.events.account_claimed.subscribe(
        [this](store::UserId user) { hub.end(user, "The account was claimed."); });
  }
  Services services() { return {hub}; }
  web::Task<> start() {
    hub.start();
    co_return;
  }
  web::Task<> stop() { return hub.stop(); }

  Hub hub;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.web = web_routes}); }

}  // namespace live_events

namespace maintenance {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        backups(module.store, module.platform),
        drill(module.platform, module.store, backups, module.identity.accounts, module.identity.outbox,
              module.identity.audit),
        scheduled(module.platform, backups, drill, module.identity.audit) {
    module.drill = &drill;
  }
  Services services() {
    return {backups, box.identity.audit, box.platform.blocking,
            [this] { return last_restore_proof(box.platform.system); }, box.platform.settings.restore_proof_age};
  }
  web::Task<> start() {
    scheduled.start();
    co_return;
  }
  web::Task<> stop() { return scheduled.stop(); }

  box::Module& box;
  Backups backups;
  RestoreDrill drill;
  ScheduledBackups scheduled;
};

}  // namespace

box::Capability capability() {
  return box::Capability::of<Parts>({.tables = {store::describe(restore_proofs)}, .backend = backend_routes});
}

}  // namespace maintenance

namespace standby {
box::Capability capability();  // standby/standby_capabilities.cpp
}

namespace egress {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        ledger(module.platform.system, web::outbound(), module.platform.home,
               [&module](const std::string& agent) { return owner_of(module, agent); }),
        keep(module.platform.home, "egress ledger", 5s, [this] { return ledger.keep(store::now()); }),
        sweep(module.platform.home, "egress ledger", 1h, [this] { return ledger.sweep(store::now()); }) {}

  static std::int64_t owner_of(const box::Module& module, const std::string& id) {
    const auto agent = module.hosting.agents.directory.find(id);
    return agent ? agent->owner : 0;
  }

  Services services() { return {ledger, box.platform.blocking}; }
  web::Task<> start() {
    keep.start();
    sweep.start();
    co_return;
  }
  web::Task<> stop() {
    co_await sweep.stop();
    co_await keep.stop();
    co_await ledger.keep(store::now());
  }

  box::Module& box;
  EgressLedger ledger;
  agentbox::Periodic keep, sweep;
};

}  // namespace

box::Capability capability() {
  return box::Capability::of<Parts>({.tables = {store::describe(lines)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace egress

namespace agent_transfer {

namespace {

struct Parts {
  explicit Parts(box::Module& module)
      : box(module),
        transfer(module.platform, module.hosting.agents.directory, module.hosting.agents.provisioning,
                 module.hosting.agents.lifecycle, module.hosting.schedule.tasks) {}
  Services services() { return {transfer, box.identity.accounts, box.identity.audit}; }

  box::Module& box;
  AgentTransfer transfer;
};

}  // namespace

box::Capability capability() { return box::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace agent_transfer

namespace box {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::console::capability(), ::security_txt::capability(),   ::tls_authority::capability(),
      ::acme::capability(),    ::administration::capability(), ::health::capability(),
      ::status::capability(),  ::live_events::capability(),    ::maintenance::capability(),
      ::standby::capability(), ::egress::capability(),         ::agent_transfer::capability(),
  };
}

}  // namespace box
