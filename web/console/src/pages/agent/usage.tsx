import type { Agent } from "../../api/types";
import type { PageProps } from "../../app/pages";
import { Loaded, useLoad } from "../../components/loaded";
import { AgentFrame } from "../../parts/agent_frame";
import { RangeChoice, UsageReport } from "../../parts/usage_report";
import { loadCalls } from "../../usage_data";

export default function AgentUsagePage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="usage">
      {(agent) => <AgentUsage agent={agent} />}
    </AgentFrame>
  );
}

function AgentUsage({ agent }: { agent: Agent }) {
  const calls = useLoad(() => loadCalls(({ agentId }) => agentId === agent.id), [agent.id]);
  return (
    <>
      <div class="actions start">
        <RangeChoice />
      </div>
      <Loaded of={calls}>{(found) => <UsageReport data={found} agents={[agent]} one />}</Loaded>
    </>
  );
}
