// What each capability of this module is built of, and what it brings: its tables, its rows, its background work.
#include "appliance/billing/capabilities.h"

#include <cstdint>
#include <vector>

#include "appliance/billing/api_keys/handlers.h"
#include "appliance/billing/credits/handlers.h"
#include "appliance/billing/credits/leaving.h"
#include "appliance/billing/module.h"
#include "appliance/billing/plan_requests/handlers.h"
#include "appliance/billing/referrals/handlers.h"
#include "appliance/billing/spans/records.h"
#include "appliance/billing/spending/handlers.h"
#include "appliance/billing/subscriptions/handlers.h"
#include "appliance/billing/subscriptions/storage_upgrades.h"
#include "appliance/billing/usage/handlers.h"
#include "appliance/billing/usage/name_collector.h"
#include "appliance/billing/usage/records.h"
#include "appliance/foundation/periodic.h"
#include "appliance/identity/personal_data/rows.h"
#include "web/log.h"

namespace billing::plans {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {
    module.identity.personal_data.add(
        personal_data::rows_of(module.platform.system, subscriptions, plan_periods, storage_upgrades));
  }
  Services services() { return {billing.subscriptions, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(subscriptions), store::describe(plan_periods), store::describe(storage_upgrades)},
       .backend = backend_routes});
}

}  // namespace billing::plans

namespace billing::plan_requests {

namespace {

struct Parts {
  explicit Parts(Module& module)
      : billing(module),
        notice(module.identity.accounts, module.identity.outbox, module.identity.site, module.platform.blocking),
        requests(module.platform.system, module.subscriptions, notice) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, plan_requests));
  }
  Services services() { return {requests, billing.identity.accounts, billing.identity.audit}; }
  Module& billing;
  AdminNotice notice;
  PlanRequests requests;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>(
      {.tables = {store::describe(plan_requests)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::plan_requests

namespace billing::referrals {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(Module& module)
      : billing(module), settling(module.platform.home, "referrals", 1min, [this] { return settle(); }) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, pending));
  }
  Services services() {
    return {billing.referrals, billing.identity.accounts, billing.identity.audit, billing.platform.blocking};
  }
  web::Task<> settle() {
    auto read = [this] { return billing.referrals.due(); };
    const auto due = co_await web::offload(billing.platform.blocking, std::move(read));
    for (const store::UserId user : due) co_await billing.referrals.settle(user);
  }
  web::Task<> start() {
    settling.start();
    co_return;
  }
  web::Task<> stop() { return settling.stop(); }

  Module& billing;
  agentbox::Periodic settling;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(pending)}, .backend = backend_routes});
}

}  // namespace billing::referrals

namespace usage {

namespace {

using namespace std::chrono_literals;

struct Parts {
  explicit Parts(billing::Module& module)
      : billing(module),
        names(module.platform.system, module.platform.blocking),
        collection(module.platform.home, "usage names", 24h,
                   [this]() -> web::Task<> { co_await names.run(store::now()); }) {
    // The tallies stay: they are sums under a number that nobody has any more.
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, calls, usage::names));
  }

  Services services() {
    return {.ledger = billing.ledger,
            .is_user = [this](store::UserId user) { return billing.identity.accounts.find(user).has_value(); },
            .users = [this] { return users(); },
            .blocking = billing.platform.blocking};
  }
  std::vector<store::UserId> users() const {
    std::vector<store::UserId> ids;
    for (const auto& user : billing.identity.accounts.list(0, SIZE_MAX)) ids.push_back(user.id);
    return ids;
  }
  web::Task<> start() {
    collection.start();
    co_return;
  }
  web::Task<> stop() { return collection.stop(); }

  billing::Module& billing;
  NameCollector names;
  agentbox::Periodic collection;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>(
      {.tables = {store::describe(calls), store::describe(reservations), store::describe(names)},
       .web = web_routes,
       .backend = backend_routes});
}

}  // namespace usage

namespace credits {

namespace {

struct Parts {
  explicit Parts(billing::Module& module) : billing(module) {
    auto part = personal_data::rows_of(module.platform.system, entries, choices);
    part.obstacle = [&module](store::UserId user) { return obstacle_to_leaving(module.credits, user); };
    module.identity.personal_data.add(std::move(part));
  }
  Services services() { return {billing.credits, billing.identity.accounts, billing.identity.audit}; }
  billing::Module& billing;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>(
      {.tables = {store::describe(entries), store::describe(choices)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace credits

namespace billing::spending {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, caps));
  }
  Services services() { return {billing.cap_policy, billing.identity.audit}; }
  Module& billing;
};

}  // namespace

Capability capability() {
  return Capability::of<Parts>({.tables = {store::describe(caps)}, .web = web_routes, .backend = backend_routes});
}

}  // namespace billing::spending

namespace billing::api_keys {

namespace {

struct Parts {
  explicit Parts(Module& module) : billing(module) {}
  Services services() {
    return {billing.identity.keys, billing.subscriptions, billing.ledger, billing.identity.audit,
            billing.platform.system};
  }
  Module& billing;
};

}  // namespace

Capability capability() { return Capability::of<Parts>({.web = web_routes}); }

}  // namespace billing::api_keys

namespace spans {

namespace {

struct Services {};

struct Parts {
  explicit Parts(billing::Module& module) : billing(module) {
    module.identity.personal_data.add(personal_data::rows_of(module.platform.system, traces, table, activities, links));
  }
  Services services() { return {}; }
  web::Task<> stop() { return billing.spans.stop(); }

  billing::Module& billing;
};

}  // namespace

billing::Capability capability() {
  return billing::Capability::of<Parts>({.tables = {store::describe(table), store::describe(traces),
                                                    store::describe(activities), store::describe(links)}});
}

}  // namespace spans

namespace spent_credentials {

namespace {

struct Services {};

struct Parts {
  // What a crash left is put in order before anything is served.
  explicit Parts(billing::Module& module) {
    if (const auto count = module.spent_credentials.recover(); count > 0)
      web::log::info("interrupted_payments_recovered", {{"count", static_cast<std::int64_t>(count)}});
  }
  Services services() const { return {}; }
};

}  // namespace

billing::Capability capability() { return billing::Capability::of<Parts>({.tables = {store::describe(credentials)}}); }

}  // namespace spent_credentials

namespace billing {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::billing::plans::capability(),
      ::billing::plan_requests::capability(),
      ::billing::referrals::capability(),
      ::usage::capability(),
      ::credits::capability(),
      ::billing::spending::capability(),
      ::billing::api_keys::capability(),
      ::spans::capability(),
      ::spent_credentials::capability(),
  };
}

}  // namespace billing
