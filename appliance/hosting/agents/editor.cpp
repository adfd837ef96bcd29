#include "appliance/hosting/agents/editor.h"

#include "appliance/billing/subscriptions/plan_choice.h"
#include "appliance/hosting/agents/commit_hook.h"
#include "appliance/hosting/agents/new_agent.h"
#include "appliance/hosting/plan_egress/plan_egress.h"
#include "store/transact.h"
#include "web/blank.h"
#include "web/routes/free_form.h"

namespace agents {
namespace {

using web::Result;
using web::Task;

Result<void> check_changes(const Changes& changes, const ConfigRules& rules) {
  if (changes.plan)
    if (const auto plan = billing::plan_of_request(*changes.plan, "plan"); !plan) return plan.error();
  if (changes.ai_provider)
    if (const auto good = check_provider(*changes.ai_provider, "aiProvider", rules); !good) return good.error();
  if (changes.config) return check_config(*changes.config, rules);
  return {};
}

void apply(const Changes& changes, Agent& agent) {
  if (changes.plan) agent.plan = *changes.plan;
  if (changes.config) set_config(agent, *changes.config);
  if (const auto model = text_member(agent.config, "model"); changes.config && !model.empty()) agent.model = model;
  if (changes.ai_provider) agent.config["aiProvider"] = *changes.ai_provider;
  agent.updated_at = store::now();
}

// Secrets are in it as masks, which keep them.
boost::json::object merged_config(const Agent& agent, const Patch& patch) {
  auto merged = agent.config;
  for (const auto& [name, value] : patch.config) {
    if (value.is_null()) {
      merged.erase(name);
    } else {
      merged[name] = value;
    }
  }
  // One place says which model it is.
  if (patch.model && merged.contains("model")) merged["model"] = *patch.model;
  return merged;
}

}  // namespace

Task<Result<Agent>> AgentEditor::change(web::Caller caller, store::UserId owner, std::string id, Changes changes) {
  if (const auto good = check_changes(changes, rules_); !good) co_return good.error();
  const auto edit_record = [&changes](Agent& agent) -> Result<void> {
    apply(changes, agent);
    return {};
  };
  const bool is_empty = !changes.plan && !changes.config && !changes.ai_provider;
  if (is_empty && caller.user_id == 0) {
    auto row = system_.get(records, owner, id);
    if (!row) co_return web::not_found();
    co_return std::move(row->value);
  }
  co_return co_await edit(std::move(caller), owner, std::move(id), edit_record);
}

Task<Result<Agent>> AgentEditor::patch(web::Caller caller, store::UserId owner, std::string id, Patch asked) {
  if (asked.name && web::is_blank(*asked.name)) co_return web::invalid("name must not be blank");
  if (asked.model)
    if (const auto good = check_model(*asked.model, "model", rules_); !good) co_return good.error();
  const auto edit_record = [this, &asked](Agent& agent) -> Result<void> {
    if (auto merged = merged_config(agent, asked); merged != agent.config) {
      if (const auto good = check_config(merged, rules_); !good) return good.error();
      set_config(agent, std::move(merged));
    }
    if (asked.name) agent.name = *asked.name;
    if (asked.model)
      agent.model = asked.model->empty() ? default_model : *asked.model;
    else if (const auto* named = asked.config.if_contains("model"); named && named->is_string())
      agent.model = named->get_string();
    agent.updated_at = store::now();
    return {};
  };
  co_return co_await edit(std::move(caller), owner, std::move(id), edit_record);
}

template <class Edit>
Task<Result<Agent>> AgentEditor::edit(web::Caller caller, store::UserId owner, std::string id, Edit edit_record) {
  const auto hook = caller.user_id == 0 ? CommitHook() : while_signed_in(system_, caller);
  const auto step = [&](store::Change& change) -> Result<Agent> {
    auto row = system_.get(records, owner, id);
    if (!row) return web::not_found();
    const auto before = row->value.config;
    if (const auto edited = edit_record(row->value); !edited) return edited.error();
    // A plan that was bounded later does not stop other changes.
    if (row->value.config.if_contains("egress") && before != row->value.config)
      if (const auto good = plan_egress::check(system_, row->value); !good) return good.error();
    change.update(records, *row);
    if (hook)
      if (const auto added = hook(change); !added) return added.error();
    return std::move(row->value);
  };
  co_return co_await store::transact(system_, step);
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
