import { isRunning, isSettling, silent } from "../agents";
import type { Agent } from "../api/types";
import { named, t } from "../app/i18n";
import { State } from "./state";

// The state of an agent.
export function Status({ agent }: { agent: Pick<Agent, "id" | "status"> }) {
  if (isRunning(agent) && silent.value.has(agent.id)) return <State tone="bad">{t("status.not_answering")}</State>;
  const tone = isRunning(agent) ? "good" : isSettling(agent) ? "busy" : agent.status === "stopped" ? "rest" : "bad";
  return <State tone={tone}>{named("status", agent.status)}</State>;
}
