#include "appliance/hosting/plan_egress/plan_egress.h"

#include <boost/json/serialize.hpp>

#include "appliance/hosting/plan_egress/records.h"
#include "store/transact.h"

namespace plan_egress {

namespace {

using agents::Egress;

// As for the agent's other limits.
billing::Plan plan_of(const agents::Agent& agent) {
  return billing::plan_named(agent.plan).value_or(billing::Plan::label);
}

}  // namespace

Egress bound_of(const store::System& system, billing::Plan plan) {
  const auto row = system.get(bounds, std::string(billing::to_string(plan)));
  if (!row) return {};
  return {.kind = row->value.is_none ? Egress::Kind::none : Egress::Kind::list, .hosts = row->value.hosts};
}

web::Task<> set_bound(store::System system, billing::Plan plan, Egress bound) {
  const Bound requested{.plan = std::string(billing::to_string(plan)),
                        .is_none = bound.kind == Egress::Kind::none,
                        .hosts = std::move(bound.hosts),
                        .changed_at = store::now()};
  const auto step = [&](store::Change& change) {
    if (bound.kind != Egress::Kind::web) {
      store::put(change, system, bounds, requested);
      return true;
    }
    const auto row = system.get(bounds, requested.plan);
    if (row) change.erase(bounds, *row);
    return row.has_value();
  };
  co_await store::transact(system, step);
}

Egress egress_of(const store::System& system, const agents::Agent& agent) {
  const auto asked = agents::read_egress(agent.config);
  if (!asked) return {.kind = Egress::Kind::none, .hosts = {}};
  return agents::common(bound_of(system, plan_of(agent)), *asked);
}

web::Result<void> check(const store::System& system, const agents::Agent& agent) {
  if (!agent.config.if_contains("egress")) return {};
  const auto asked = agents::read_egress(agent.config);
  if (!asked) return asked.error();
  const auto bound = bound_of(system, plan_of(agent));
  if (agents::covers(bound, *asked)) return {};
  const auto most = bound.kind == Egress::Kind::none
                        ? std::string("none")
                        : "none or host names of " + boost::json::serialize(agents::shown(bound));
  return web::forbidden("config.egress must be " + most + ": the agent's plan admits no more");
}

}  // namespace plan_egress
