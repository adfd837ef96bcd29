// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/network/capabilities.h"

#include <optional>

#include "appliance/foundation/otlp_headers.h"
#include "appliance/foundation/periodic.h"
#include "appliance/foundation/webhook_signature.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/a2a/handlers.h"
#include "appliance/network/bus/handlers.h"
#include "appliance/network/bus_keys/handlers.h"
#include "appliance/network/colony/handlers.h"
#include "appliance/network/colony/platform_metrics.h"
#include "appliance/network/data_feeds/fetcher.h"
#include "appliance/network/data_feeds/handlers.h"
#include "appliance/network/email_in/handlers.h"
#include "appliance/network/events/handlers.h"
#include "appliance/network/fleet/handlers.h"
#include "appliance/network/hosting_mcp/handlers.h"
#include "appliance/network/mcp_server/handlers.h"
#include "appliance/network/module.h"
#include "appliance/network/otlp/exporter.h"
#include "appliance/network/otlp/handlers.h"
#include "appliance/network/skills/booking_settlement.h"
#include "appliance/network/skills/handlers.h"
#include "appliance/network/skills/instant_split.h"
#include "appliance/network/skills/records.h"
#include "appliance/network/skills/runs.h"
#include "appliance/network/skills/sales.h"
#include "appliance/network/swarms/handlers.h"
#include "appliance/network/swarms/records.h"
#include "appliance/network/traces/handlers.h"
#include "web/log.h"

namespace fleet {

namespace {

struct Parts {
  explicit Parts(network::Module& given)
      : network(given), costs(given.platform.system, given.billing.ledger, given.payments.transfers.rules) {}

  Services services() {
    return {.souls = network.souls,
            .traces = network.traces,
            .costs = costs,
            .negotiation = network.negotiation,
            .system = network.platform.system,
            .web_url = network.hosting.web_url()};
  }
  web::Task<> stop() { return network.load_sampler.stop(); }

  network::Module& network;
  Costs costs;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace fleet

namespace traces {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() { return {network.traces}; }

  network::Module& network;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.web = web_routes, .backend = backend_routes});
}

}  // namespace traces

namespace otlp {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {
    const auto& settings = given.platform.settings;
    if (settings.otel_exporter_otlp_endpoint.empty()) return;
    exporter.emplace(settings.otel_exporter_otlp_endpoint,
                     agentbox::parse_otlp_headers(settings.otel_exporter_otlp_headers).value(), given.platform.home);
    given.billing.spans.when_recorded(exporter->sink());
  }
  Services services() { return {network.billing.spans}; }
  web::Task<> start() {
    if (exporter) exporter->start();
    co_return;
  }
  web::Task<> stop() {
    if (exporter) co_await exporter->stop();
  }

  network::Module& network;
  std::optional<Exporter> exporter;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace otlp

namespace colony {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system,
            .souls = network.souls,
            .subscriptions = network.billing.subscriptions,
            .engine = network.hosting.engine->name()};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace colony

namespace platform_metrics {

namespace {

struct Parts {
  explicit Parts(network::Module& given) : network(given) {}
  Services services() {
    return {.system = network.platform.system, .ledger = network.billing.ledger, .recorder = network.billing.spans};
  }

  network::Module& network;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes}); }

}  // namespace platform_metrics

namespace skills {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        catalogue(module.platform.folder.path() / folder_name),
        installer(module.platform.system, catalogue, module.billing.subscriptions, module.platform.folder.agents(),
                  module.platform.blocking),
        runs(module.platform.system, catalogue, installer, module.hosting.chat, module.billing.spend_policy,
             module.billing.ledger, module.platform.home),
        bookings(module.platform.system, module.negotiation, module.payments.ledger),
        splits(module.payments.splits, module.payments.wallets, module.hosting.agents.directory),
        sales(module.platform.system, catalogue, installer, module.hosting.agents.directory, runs) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return installer.forget(user, std::move(agent)); });
    module.hosting.agents.when_removed(
        [this](store::UserId, std::string agent) { return sales.forget(std::move(agent)); });
    module.payments.prepare_skill = [this](std::string skill, boost::json::object inputs) {
      return sales.prepare(std::move(skill), std::move(inputs));
    };
    module.when_listeners_close([this] { return runs.stop(); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, installations, skills::runs));
  }
  Services services() {
    return {catalogue,
            installer,
            runs,
            bookings,
            splits,
            sales,
            network.billing.subscriptions,
            network.identity.audit,
            network.platform.uploads};
  }
  web::Task<> start() {
    co_await installer.recover();
    co_await runs.recover();
  }

  network::Module& network;
  Catalogue catalogue;
  Installer installer;
  Runs runs;
  BookingSettlement bookings;
  InstantSplit splits;
  Sales sales;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(installations), store::describe(runs), store::describe(skills_on_sale)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace skills

namespace swarms {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : budget(module.billing.spend_policy, module.billing.ledger),
        coordinator(module.platform.system, module.hosting.agents.directory, module.hosting.chat, budget,
                    module.platform.home),
        swarms(module.platform.system, module.hosting.agents.directory, budget, coordinator) {
    module.when_listeners_close([this] { return coordinator.end(); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, swarms::swarms, tasks, events));
  }
  Services services() { return {swarms, coordinator.followers()}; }
  web::Task<> start() { return coordinator.recover(); }

  Budget budget;
  SwarmCoordinator coordinator;
  Swarms swarms;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(swarms), store::describe(tasks), store::describe(events)}, .web = web_routes});
}

}  // namespace swarms

namespace bus_keys {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : keys(module.bus_keys), audit(module.identity.audit), system(module.platform.system) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return keys.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
    module.identity.identities.when_claimed(
        {.claim = [this](store::UserId user, store::Change& change) { forget_all(user, change); }, .claimed = {}});
  }
  Services services() { return {keys, audit, system}; }
  // The account's previous holder could otherwise still sign messages as its agents.
  void forget_all(store::UserId user, store::Change& change) const {
    const auto tenant = system.tenant(user);
    for (const auto& key : tenant.list(table, {.limit = std::size_t(-1), .after = {}}))
      if (const auto row = tenant.get(table, key.id)) change.erase(table, *row);
  }

  BusKeys& keys;
  audit::Audit& audit;
  store::System system;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace bus_keys

namespace bus {

namespace {

struct Parts {
  explicit Parts(network::Module& given_module)
      : module(given_module), sweeps(module.platform.home, "bus sweep", std::chrono::hours(1), [this] {
          return module.mailbox.sweep(store::now());
        }) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return module.mailbox.forget(user, std::move(agent)); });
    module.when_listeners_close([this] { return module.delivery_worker.stop(); });
    module.hosting.gate.carry_out_with(gate_kind, gate_executor(module.bus));
    module.identity.personal_data.add(
        personal_data::rows_of(module.platform.system, messages, deliveries, sent, dead_letters));
  }
  Services services() {
    return {module.bus, module.mailbox, module.bus_keys, module.platform.system, module.hosting.gate};
  }
  web::Task<> start() {
    module.delivery_worker.start();
    sweeps.start();
    co_return;
  }
  web::Task<> stop() { return sweeps.stop(); }

  network::Module& module;
  agentbox::Periodic sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(messages), store::describe(deliveries),
                                                    store::describe(sent), store::describe(dead_letters)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace bus

namespace events {

namespace {

struct Parts {
  explicit Parts(network::Module& module) : events(module.events) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return events.forget(user, std::move(agent)); });
  }
  Services services() { return {events}; }

  Events& events;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(table)}, .backend = backend_routes});
}

}  // namespace events

namespace negotiation {

namespace {

// No rows: bookings are negotiated over the bus.
struct Services {};

struct Parts {
  explicit Parts(network::Module& module)
      : expiry(module.platform.home, "booking expiry", std::chrono::seconds(1),
               [&module] { return module.negotiation.expire(store::now()); }) {
    module.bus.route("BOOKING_", module.negotiation);
  }
  Services services() { return {}; }
  web::Task<> start() {
    expiry.start();
    co_return;
  }
  web::Task<> stop() { return expiry.stop(); }

  agentbox::Periodic expiry;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts, Services>({.tables = {store::describe(bookings)}});
}

}  // namespace negotiation

namespace amplification {

namespace {

// No rows: agents post and follow over the bus.
struct Services {};

struct Parts {
  explicit Parts(network::Module& module)
      : spreading(module.platform.home, "amplification", std::chrono::milliseconds(200),
                  [&module] { return module.amplification.spread(); }),
        sweeps(module.platform.home, "amplification sweep", std::chrono::hours(1),
               [&module] { return module.amplification.sweep(store::now()); }) {
    module.bus.route("AMPLIFY_", module.amplification);
    module.hosting.agents.when_removed([&module](store::UserId user, std::string agent) {
      return module.amplification.forget(user, std::move(agent));
    });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, follows));
  }
  Services services() { return {}; }
  web::Task<> start() {
    spreading.start();
    sweeps.start();
    co_return;
  }
  web::Task<> stop() {
    co_await spreading.stop();
    co_await sweeps.stop();
  }

  agentbox::Periodic spreading, sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts, Services>({.tables = {store::describe(follows), store::describe(posts)}});
}

}  // namespace amplification

namespace a2a {

namespace {

struct Parts {
  explicit Parts(network::Module& given_module)
      : module(given_module),
        signer(module.platform.master_key),
        tasks(module.platform.system, module.hosting.chat, module.daily_limit, module.platform.home),
        sweeps(module.platform.home, "A2A sweep", std::chrono::hours(1), [this] { return tasks.sweep(store::now()); }) {
    module.hosting.agents.when_removed(
        [this](store::UserId user, std::string agent) { return tasks.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
    module.identity.personal_data.add({.erase = [this](store::UserId user) { return tasks.forget_caller(user); }});
  }
  Services services() {
    return {.tasks = tasks,
            .signer = signer,
            .system = module.platform.system,
            .agent_domain = module.platform.settings.agent_domain,
            .web_url = [this] { return module.hosting.web_url(); },
            .agent_url = [this](std::string_view subdomain) { return module.hosting.agents.addresses.url(subdomain); },
            .caller_of =
                [this](const web::Request& request) {
                  auto caller = module.identity.guards.model_caller.admit(request);
                  return caller ? std::optional(std::move(*caller)) : std::nullopt;
                }};
  }
  web::Task<> start() {
    co_await tasks.recover();
    sweeps.start();
  }
  web::Task<> stop() { return sweeps.stop(); }

  network::Module& module;
  const CardSigner signer;
  Tasks tasks;
  agentbox::Periodic sweeps;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>(
      {.tables = {store::describe(table)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace a2a

namespace hosting_mcp {

namespace {

struct Parts {
  explicit Parts(network::Module&) {}
  Services services() { return {}; }
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.backend = backend_routes}); }

}  // namespace hosting_mcp

namespace data_feeds {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        feeds(module.platform.system),
        own(module.models.gateway, module.billing.ledger, module.hosting.agents.directory),
        fetcher(feeds, module.platform.home,
                module.platform.settings.feeds_allow_private ? web::Reach::configured : web::Reach::public_only) {}

  Services services() { return {feeds, own, network.identity.audit, network.hosting.turns}; }
  web::Task<> start() {
    fetcher.start();
    co_return;
  }
  web::Task<> stop() { return fetcher.stop(); }

  network::Module& network;
  DataFeeds feeds;
  OwnFeedReader own;
  Fetcher fetcher;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(data_feeds::feeds), store::describe(answers)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace data_feeds

namespace email_in {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : settings(module.platform.settings),
        key(webhook_signature::signing_key(settings.email_webhook_secret)),
        inbox(module.platform.system, module.hosting.chat, module.hosting.uploads, module.platform.home) {
    if (key.empty() && !settings.email_webhook_secret.empty())
      web::log::warning("email_refused", {{"reason", std::string("EMAIL_WEBHOOK_SECRET is not whsec_ and base64")}});
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, messages));
  }

  Services services() { return {inbox, key, settings.email_allowed_senders}; }
  web::Task<> start() {
    inbox.start();
    co_return;
  }
  web::Task<> stop() { return inbox.stop(); }

  const agentbox::Settings& settings;
  const std::string key;
  Inbox inbox;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(messages)}, .web = web_routes});
}

}  // namespace email_in

namespace mcp_server {

namespace {

// The tables that the marked rows are in.
std::vector<web::Route> rows_of(network::Module& module) {
  auto rows = module.billing.rows();
  rows.add(module.hosting.rows());
  return std::move(rows.web);
}

struct Parts {
  explicit Parts(network::Module& module)
      : network(module), tools(rows_of(module), [&module] { return module.hosting.summarizer_url(); }) {}

  Services services() {
    return {tools,
            sessions,
            network.identity.keys,
            network.hosting.agents.directory,
            network.identity.audit,
            network.hosting.turns,
            network.identity.site};
  }

  network::Module& network;
  const Tools tools;
  Sessions sessions;
};

}  // namespace

network::Capability capability() { return network::Capability::of<Parts>({.web = web_routes, .backend = routes}); }

}  // namespace mcp_server

namespace network {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::fleet::capability(),    ::traces::capability(),           ::otlp::capability(),
      ::colony::capability(),   ::platform_metrics::capability(), ::skills::capability(),
      ::swarms::capability(),   ::bus_keys::capability(),         ::bus::capability(),
      ::events::capability(),   ::negotiation::capability(),      ::amplification::capability(),
      ::a2a::capability(),      ::hosting_mcp::capability(),      ::data_feeds::capability(),
      ::email_in::capability(), ::mcp_server::capability(),
  };
}

}  // namespace network
