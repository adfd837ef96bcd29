import { agents, selected } from "../agents";
import { Link } from "./link";
import { Status } from "./status";

export function AgentList() {
  const list = agents.value;
  if (list === undefined) return <p class="quiet">Loading…</p>;
  if (list.length === 0) return <p class="quiet">No agents yet.</p>;
  return (
    <ul class="agents">
      {list.map((agent) => (
        <li key={agent.id}>
          <Link to={`/dashboard?agent=${encodeURIComponent(agent.id)}`} current={agent.id === selected.value?.id}>
            <span class="name">{agent.name}</span>
            <Status agent={agent} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
