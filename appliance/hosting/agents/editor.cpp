#include "appliance/hosting/agents/editor.h"

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/hosting/agents/commit_hook.h"
#include "appliance/hosting/agents/new_agent.h"
#include "web/free_form.h"

namespace agents {
namespace {

using web::Result;
using web::Task;

Result<void> check_changes(const Changes& changes, const KnowsModel& knows_model) {
  if (changes.plan)
    if (const auto plan = billing::plan_of_request(*changes.plan, "plan"); !plan) return plan.error();
  if (changes.ai_provider)
    if (const auto good = check_provider(*changes.ai_provider, "aiProvider"); !good) return good.error();
  if (changes.config) return check_config(*changes.config, knows_model);
  return {};
}

void apply(const Changes& changes, Agent& agent) {
  if (changes.plan) agent.plan = *changes.plan;
  if (changes.config) set_config(agent, *changes.config);
  if (const auto model = text_member(agent.config, "model"); changes.config && !model.empty()) agent.model = model;
  if (changes.ai_provider) agent.config["aiProvider"] = *changes.ai_provider;
  agent.updated_at = store::now();
}

}  // namespace

Task<Result<Agent>> AgentEditor::change(web::Caller caller, store::UserId owner, std::string id, Changes changes) {
  if (const auto good = check_changes(changes, knows_model_); !good) co_return good.error();
  const auto hook = caller.user_id == 0 ? CommitHook() : while_signed_in(system_, caller);
  const bool is_empty = !changes.plan && !changes.config && !changes.ai_provider;
  for (;;) {
    auto row = system_.get(records, owner, id);
    if (!row) co_return web::not_found();
    if (is_empty && !hook) co_return std::move(row->value);
    apply(changes, row->value);
    auto change = system_.change();
    change.update(records, *row);
    if (hook)
      if (const auto added = hook(change); !added) co_return added.error();
    const auto outcome = co_await change.commit();
    if (outcome.ok()) co_return std::move(row->value);
  }
}

Task<Result<Agent>> AgentEditor::verify(store::UserId owner, std::string id, Verification verification) {
  if (verification.metadata)
    if (const auto good = web::check_free_form(*verification.metadata, "metadata"); !good) co_return good.error();
  std::function<void(Agent&)> edit = [verification](Agent& agent) {
    agent.verified = verification.verified;
    agent.verification_type = verification.type;
    agent.attestation_uid = verification.attestation_uid;
    agent.verifier_address = verification.verifier_address;
    agent.verification_metadata = verification.metadata;
    agent.verified_at = verification.verified ? std::optional(store::now()) : std::nullopt;
    agent.updated_at = store::now();
  };
  auto edited = co_await system_.modify(records, owner, std::move(id), std::move(edit));
  if (!edited) co_return web::not_found();
  co_return std::move(*edited);
}

}  // namespace agents
