import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isRunning, isSettling, lifecycle, remove } from "../agents";
import { sentence, statusReason } from "../api";
import { go } from "../router";
import type { Agent } from "../wire";
import { Chat } from "./chat";
import { Dialog } from "./dialog";
import { GatewayTokenDialog } from "./gateway_token";
import { Notice } from "./notice";
import { Status } from "./status";

export function AgentPanel({ agent }: { agent: Agent }) {
  const busy = useSignal("");
  const error = useSignal("");
  const deleting = useSignal(false);
  const showingToken = useSignal(false);
  const reason = useSignal("");
  const broken = agent.status === "error";

  useEffect(() => {
    reason.value = "";
    if (broken) statusReason(agent.id).then((found) => (reason.value = found), () => undefined);
  }, [broken, agent.updatedAt]);

  const attempt = async (doing: string, action: () => Promise<void>) => {
    busy.value = doing;
    error.value = "";
    try {
      await action();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = "";
    }
  };
  const erase = () =>
    attempt("Deleting…", async () => {
      await remove(agent);
      deleting.value = false;
      go("/dashboard", { replace: true });
    });

  const idle = busy.value === "" && !isSettling(agent);
  const running = isRunning(agent);
  return (
    <section class="panel" aria-labelledby="agent-name">
      <header class="panel-head">
        <div>
          <h2 id="agent-name">{agent.name}</h2>
          <p class="facts">
            <Status agent={agent} />
            <span>{agent.model === "auto" ? "default model" : agent.model}</span>
            <span>
              since <time dateTime={agent.createdAt}>{new Date(agent.createdAt).toLocaleDateString()}</time>
            </span>
          </p>
        </div>
        <div class="actions" role="group" aria-label="Lifecycle">
          {busy.value && <span class="quiet">{busy.value}</span>}
          <button
            type="button"
            disabled={!idle || running}
            onClick={() => void attempt("Starting…", () => lifecycle(agent, "start"))}
          >
            Start
          </button>
          <button
            type="button"
            disabled={!idle || !running}
            onClick={() => void attempt("Stopping…", () => lifecycle(agent, "stop"))}
          >
            Stop
          </button>
          <button
            type="button"
            disabled={!idle || !running}
            onClick={() => void attempt("Restarting…", () => lifecycle(agent, "restart"))}
          >
            Restart
          </button>
          <button type="button" disabled={busy.value !== ""} onClick={() => (showingToken.value = true)}>
            Token
          </button>
          <button type="button" class="danger" disabled={busy.value !== ""} onClick={() => (deleting.value = true)}>
            Delete
          </button>
        </div>
      </header>
      {error.value && !deleting.value && <Notice kind="error">{error.value}</Notice>}
      {broken && reason.value && !error.value && <Notice kind="error">{reason.value}</Notice>}
      <Chat agent={agent} />
      {showingToken.value && <GatewayTokenDialog agent={agent} onClose={() => (showingToken.value = false)} />}
      {deleting.value && (
        <Dialog title={`Delete ${agent.name}?`} onClose={() => (deleting.value = false)}>
          <p>Its workspace, its memory and everything said with it go with it. This cannot be undone.</p>
          {error.value && <Notice kind="error">{error.value}</Notice>}
          <div class="actions">
            <button type="button" autoFocus onClick={() => (deleting.value = false)}>
              Keep it
            </button>
            <button type="button" class="danger" disabled={busy.value !== ""} onClick={() => void erase()}>
              Delete for good
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
