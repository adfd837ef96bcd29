#include "appliance/hosting/agents/revocation.h"

#include <vector>

#include "appliance/access/epochs.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/agents/owner_state.h"
#include "appliance/hosting/agents/provisioning/job.h"
#include "web/log.h"

namespace agents {
namespace {

using web::Result;
using web::Task;

constexpr auto owner_disabled = "The account of this agent's owner was disabled.";

bool may_run(const Agent& agent) { return agent.status != Status::pending && agent.status != Status::stopped; }
bool should_run(const Agent& agent) { return agent.desired == desired::running; }

void renew_gateway_token(Agent& agent, accounts::SessionEpoch since) {
  agent.gateway_token.clear = crypto::random_hex(16);
  agent.tokens_since = since;
  agent.updated_at = store::now();
}

void restart(const store::System& system, Agent& agent, store::Change& change) {
  agent.status = Status::provisioning;
  agent.status_reason = "It restarts with a new gateway token.";
  Job job{.agent = agent.id, .owner = agent.owner, .action = Action::restart, .created_at = store::now()};
  put_job(system, std::move(job), change);
}

web::Error token_renewal_switched_off() {
  return web::internal("A running agent cannot get a new token while provisioning is switched off on this box.");
}

}  // namespace

void renew_tokens(Agent& agent) {
  agent.gateway_token.clear = crypto::random_hex(16);
  agent.box_token.clear = "bt_" + crypto::random_token();
  agent.box_token_hash = crypto::sha256_hex(agent.box_token.clear);
}

void stop_for(const store::System& system, Agent& agent, std::string reason, store::Change& change) {
  agent.status_reason = reason;
  agent.updated_at = store::now();
  agent.desired = desired::stopped;
  if (!may_run(agent)) return;
  agent.status = Status::stopping;
  Job job{.agent = agent.id,
          .owner = agent.owner,
          .action = Action::stop,
          .reason = std::move(reason),
          .created_at = store::now()};
  put_job(system, std::move(job), change);
}

Task<Result<Agent>> Revocation::rotate(audit::Actor actor, store::UserId owner, std::string id) {
  for (;;) {
    auto row = system_.get(records, owner, id);
    if (!row || row->value.desired == desired::removed) co_return web::not_found();
    auto& agent = row->value;
    if (should_run(agent) && !is_enabled_) co_return token_renewal_switched_off();
    auto change = system_.change();
    if (actor.caller.user_id != 0) {
      const auto live = accounts::require_session(system_, actor.caller, change);
      if (!live) co_return live.error();
    }
    const auto user = system_.cached(accounts::users, owner);
    renew_gateway_token(agent, user ? user->sessions_since : 0);
    if (should_run(agent)) restart(system_, agent, change);
    change.update(records, *row);
    const auto outcome = co_await change.commit();
    if (!outcome.ok()) continue;
    if (should_run(agent)) provisioner_.notify(id);
    if (rotated_) co_await rotated_(actor, agent);
    co_return std::move(agent);
  }
}

Task<> Revocation::settle(store::UserId user, std::string id, Notify notify) {
  for (;;) {
    const auto owner = system_.cached(accounts::users, user);
    auto row = system_.get(records, user, id);
    if (!owner || !row || row->value.desired == desired::removed) co_return;
    auto& agent = row->value;
    auto change = system_.change();
    if (!agent.tokens_since) {  // made before tokens had an epoch
      agent.tokens_since = owner->sessions_since;
    } else if (owner->is_disabled && (should_run(agent) || is_outdated(agent.tokens_since, *owner))) {
      renew_tokens(agent);
      agent.tokens_since = owner->sessions_since;
      if (should_run(agent)) stop_for(system_, agent, owner_disabled, change);
    } else if (is_outdated(agent.tokens_since, *owner) && (is_enabled_ || !should_run(agent))) {
      renew_gateway_token(agent, owner->sessions_since);
      if (should_run(agent)) restart(system_, agent, change);
    } else {
      co_return;
    }
    change.update(records, *row);
    const auto outcome = co_await change.commit();
    if (outcome.ok() && notify == Notify::yes && system_.get(jobs, id)) provisioner_.notify(id);
    // Once more: a token may have got its epoch only.
  }
}

Task<> Revocation::sessions_ended(store::UserId user) {
  std::string failure;
  try {
    const store::Page all{.limit = std::size_t(-1)};
    for (const AgentAccess& agent : system_.tenant(user).list(accesses, all))
      co_await settle(user, agent.id, Notify::yes);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) web::log::error("gateway_tokens_not_replaced", {{"user", user}, {"reason", failure}});
}

Task<> Revocation::catch_up() {
  std::vector<AgentAccess> due;
  system_.each<AgentAccess>(accesses, [&](const AgentAccess& agent) {
    const auto owner = agent.owner == 0 ? nullptr : system_.cached(accounts::users, agent.owner);
    const bool runs_disabled = owner && owner->is_disabled && agent.desired == desired::running;
    if (owner && (!agent.tokens_since || runs_disabled || is_outdated(agent.tokens_since, *owner)))
      due.push_back(agent);
    return true;
  });
  for (const AgentAccess& agent : due) co_await settle(agent.owner, agent.id, Notify::no);
}

}  // namespace agents
