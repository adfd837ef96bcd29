import { useSignal } from "@preact/signals";
import { rotateToken } from "../agents";
import { gatewayToken } from "../api";
import { useAttempt } from "../attempt";
import type { Agent } from "../wire";
import { Dialog } from "./dialog";
import { Notice } from "./notice";

interface Props {
  agent: Agent;
  onClose: () => void;
}

export function GatewayTokenDialog({ agent, onClose }: Props) {
  const token = useSignal("");
  const { busy, error, attempt } = useAttempt();
  const fill = (source: () => Promise<string>) =>
    void attempt(async () => {
      token.value = await source();
    });
  return (
    <Dialog title={`Gateway token of ${agent.name}`} onClose={onClose}>
      <p>
        Programs that call the agent&rsquo;s own address present this token. Replace it if somebody else may have seen it:
        the old one stops working at once, and a running agent restarts.
      </p>
      {token.value && <pre class="command">{token.value}</pre>}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class="actions">
        <button type="button" autoFocus onClick={onClose}>
          Close
        </button>
        {token.value ? (
          <button type="button" onClick={() => void navigator.clipboard?.writeText(token.value)}>
            Copy
          </button>
        ) : (
          <button type="button" disabled={busy.value} onClick={() => fill(() => gatewayToken(agent.id))}>
            Show token
          </button>
        )}
        <button type="button" class="danger" disabled={busy.value} onClick={() => fill(() => rotateToken(agent))}>
          Replace token
        </button>
      </div>
    </Dialog>
  );
}
