import { isRunning, isSettling } from "../agents";
import type { Agent } from "../api/types";
import { named } from "../app/i18n";
import { State } from "./state";

// The state of an agent.
export function Status({ agent }: { agent: Pick<Agent, "status"> }) {
  const tone = isRunning(agent) ? "good" : isSettling(agent) ? "busy" : agent.status === "stopped" ? "rest" : "bad";
  return <State tone={tone}>{named("status", agent.status)}</State>;
}
