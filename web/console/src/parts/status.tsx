import { isRunning, isSettling } from "../agents";
import type { Agent } from "../wire";

// The state in words, with a dot whose colour only repeats them.
export function Status({ agent }: { agent: Agent }) {
  const tone = isRunning(agent) ? "good" : isSettling(agent) ? "busy" : agent.status === "stopped" ? "rest" : "bad";
  return (
    <span class={`status ${tone}`}>
      <span class="dot" aria-hidden="true" />
      {agent.status.replaceAll("_", " ")}
    </span>
  );
}
