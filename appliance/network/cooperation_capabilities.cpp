// What agents do together: what each capability is built of, and what it brings.
#include "appliance/network/capabilities.h"

#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "appliance/network/a2a/handlers.h"
#include "appliance/network/bus/handlers.h"
#include "appliance/network/bus_keys/handlers.h"
#include "appliance/network/events/handlers.h"
#include "appliance/network/module.h"
#include "appliance/network/skills/booking_settlement.h"
#include "appliance/network/skills/handlers.h"
#include "appliance/network/skills/instant_split.h"
#include "appliance/network/skills/packages.h"
#include "appliance/network/skills/records.h"
#include "appliance/network/skills/runs.h"
#include "appliance/network/skills/sales.h"
#include "appliance/network/swarms/handlers.h"
#include "appliance/network/swarms/records.h"
#include "web/utf8.h"

namespace skills {

namespace {

struct Parts {
  explicit Parts(network::Module& module)
      : network(module),
        bookings(module.platform.system, module.negotiation, module.payments.ledger),
        splits(module.payments.splits, module.payments.wallets, module.hosting.agents.directory),
        packages(module.platform.system, module.skill_catalogue, module.skill_installer,
                 module.platform.settings.summarizer_allow_private ? web::Reach::configured : web::Reach::public_only,
                 module.platform.folder.agents(), module.platform.uploads),
        update_checks(module.platform.home, "skill updates", std::chrono::hours(1),
                      [this] { return packages.check_due(); }) {
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
      return module.skill_installer.forget(user, std::move(agent));
    });
    module.identity.events.agent_removed.subscribe(
        [&module](store::UserId, std::string agent) { return module.skill_sales.forget(std::move(agent)); });
    module.when_listeners_close([&module] { return module.skill_runs.stop(); });
    module.identity.personal_data.add(
        personal_data::rows_of(module.platform.system, installations, skills::runs, skills::packages));
  }
  Services services() {
    return {network.skill_catalogue,
            network.skill_installer,
            network.skill_runs,
            bookings,
            splits,
            network.skill_sales,
            packages,
            network.billing.subscriptions,
            network.identity.audit,
            network.platform.uploads};
  }
  web::Task<> start() {
    co_await network.skill_installer.recover();
    co_await network.skill_runs.recover();
    update_checks.start();
  }
  web::Task<> stop() { return update_checks.stop(); }

  network::Module& network;
  BookingSettlement bookings;
  InstantSplit splits;
  Packages packages;
  agentbox::Periodic update_checks;
};

}  // namespace

network::Capability capability() {
  return network::Capability::of<Parts>({.tables = {store::describe(installations), store::describe(runs),
                                                    store::describe(skills_on_sale), store::describe(skills::packages)},
                                         .web = web_routes,
                                         .backend = backend_routes});
}

}  // namespace skills

namespace swarms {

namespace {

notices::Report report_of(const Swarm& swarm) {
  constexpr std::size_t max_result_bytes = 4'000;
  const bool is_done = swarm.state == State::done;
  return {.kind = notices::Kind::swarm,
          .agent = swarm.orchestrator,
          .is_urgent = false,
          .subject = "The swarm " + swarm.name + (is_done ? " is done" : " has ended without a result"),
          .text = is_done ? std::string(web::utf8_prefix(swarm.result, max_result_bytes)) : swarm.reason,
          .path = "/fleet/swarms/" + swarm.id};
}

struct Parts {
  explicit Parts(network::Module& module)
      : budget(module.billing.spend_policy, module.billing.ledger),
        coordinator(module.platform.system, module.hosting.agents.directory, module.hosting.chat, budget,
                    module.platform.home),
        swarms(module.platform.system, module.hosting.agents.directory, budget, coordinator) {
    module.when_listeners_close([this] { return coordinator.end(); });
    coordinator.when_ended(
        [&module](const Swarm& swarm) { module.hosting.notices.report_later(swarm.owner, report_of(swarm)); });
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
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return keys.forget(user, std::move(agent)); });
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, table));
    module.identity.events.account_claim.subscribe(
        [this](store::UserId user, store::Change& change) { forget_all(user, change); });
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
    module.identity.events.agent_removed.subscribe(
        [this](store::UserId user, std::string agent) { return module.mailbox.forget(user, std::move(agent)); });
    module.when_listeners_close([this] { return module.delivery_worker.stop(); });
    module.hosting.gate.add_executor(gate_kind, gate_executor(module.bus));
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
    module.identity.events.agent_removed.subscribe(
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
    module.identity.events.agent_removed.subscribe([&module](store::UserId user, std::string agent) {
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
    module.identity.events.agent_removed.subscribe(
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
