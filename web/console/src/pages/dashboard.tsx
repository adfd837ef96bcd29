import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { agents, selected, trouble, watch } from "../agents";
import { AgentList } from "../parts/agent_list";
import { AgentPanel } from "../parts/agent_panel";
import { NewAgentDialog } from "../parts/new_agent";
import { Notice } from "../parts/notice";
import { PlanNotice } from "../parts/plan_notice";

export function Dashboard() {
  const creating = useSignal(false);
  useEffect(watch, []);
  return (
    <div class="dashboard">
      <aside aria-labelledby="agents-title">
        <div class="aside-head">
          <h1 id="agents-title">Agents</h1>
          {account.settings.value && (
            <span class="badge">{account.settings.value.plan ? `plan ${account.settings.value.plan}` : "no plan"}</span>
          )}
        </div>
        <AgentList />
        <button
          type="button"
          class="primary wide"
          disabled={!account.mayProvision.value}
          onClick={() => (creating.value = true)}
        >
          New agent
        </button>
      </aside>
      <div class="stage">
        {trouble.value && <Notice kind="error">{trouble.value}</Notice>}
        <PlanNotice />
        {selected.value ? (
          <AgentPanel key={selected.value.id} agent={selected.value} />
        ) : (
          agents.value !== undefined &&
          account.mayProvision.value && (
            <div class="empty">
              <h2>Your first agent</h2>
              <p>Give it a name, wait a moment until it runs, and talk to it.</p>
              <button type="button" class="primary" onClick={() => (creating.value = true)}>
                Create one
              </button>
            </div>
          )
        )}
      </div>
      {creating.value && <NewAgentDialog onClose={() => (creating.value = false)} />}
    </div>
  );
}
