import { isRunning, isSettling } from "../agents";
import type { Agent } from "../api/types";
import { named } from "../app/i18n";

// The state in words, with a dot whose colour only repeats them.
export function Status({ agent }: { agent: Pick<Agent, "status"> }) {
  const tone = isRunning(agent) ? "good" : isSettling(agent) ? "busy" : agent.status === "stopped" ? "rest" : "bad";
  return (
    <span class={`status ${tone}`}>
      <span class="dot" aria-hidden="true" />
      {named("status", agent.status)}
    </span>
  );
}
