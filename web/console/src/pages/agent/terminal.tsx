// A terminal in the agent's workspace. It ends when the page is left.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, call, sentence, url_of } from "../../api/client";
import type { Agent, Terminals } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Button } from "../../components/button";
import { EmptyState, Loading } from "../../components/empty_state";
import { Notice } from "../../components/notice";
import { Terminal, type TerminalHandle, type TerminalSize } from "../../components/terminal";
import { AgentFrame } from "../../parts/agent_frame";

export default function TerminalPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="terminal" fill wide>
      {(agent) => <Offered agent={agent} />}
    </AgentFrame>
  );
}

function Offered({ agent }: { agent: Agent }) {
  const found = useSignal<Terminals | undefined>(undefined);
  const error = useSignal("");
  useEffect(() => {
    call("GET /api/agents/{id}/terminals", { path: { id: agent.id } }).then(
      (answer) => (found.value = answer),
      (cause: unknown) => (error.value = sentence(cause)),
    );
  }, [agent.id]);
  if (error.value) return <Notice kind="error">{error.value}</Notice>;
  if (!found.value) return <Loading />;
  if (!found.value.available) return <EmptyState title={t("terminal.none")} text={found.value.reason ?? ""} />;
  return <Session agent={agent} />;
}

// What is typed while a request is on its way goes with the next one, so that it arrives in its order.
class Typing {
  private waiting = "";
  private isSending = false;

  constructor(
    private readonly path: { id: string; terminal: string },
    private readonly onError: (cause: unknown) => void,
  ) {}

  async add(text: string) {
    this.waiting += text.replaceAll("\0", "");
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (this.waiting) {
        const part = this.waiting.slice(0, 16_000);
        await call("POST /api/agents/{id}/terminals/{terminal}/input", { path: this.path, body: { text: part } });
        this.waiting = this.waiting.slice(part.length);
      }
    } catch (cause) {
      this.waiting = "";
      this.onError(cause);
    } finally {
      this.isSending = false;
    }
  }
}

interface Ended {
  exitCode: number | null;
  reason: string | null;
}

function Session({ agent }: { agent: Agent }) {
  const shown = useRef<TerminalHandle>(undefined);
  const typing = useRef<Typing>(undefined);
  const path = useRef<{ id: string; terminal: string }>(undefined);
  const round = useSignal(0);
  const error = useSignal("");
  const ended = useSignal<Ended | undefined>(undefined);

  useEffect(() => {
    let source: EventSource | undefined;
    let isLeft = false;
    error.value = "";
    ended.value = undefined;
    const end = () => {
      source?.close();
      const old = path.current;
      path.current = typing.current = undefined;
      if (old && !ended.value) call("DELETE /api/agents/{id}/terminals/{terminal}", { path: old }).catch(() => undefined);
    };
    const follow = (terminal: string) => {
      path.current = { id: agent.id, terminal };
      typing.current = new Typing(path.current, (cause) => {
        if (!(cause instanceof ApiError && cause.status === 409)) error.value = sentence(cause); // else its end follows
      });
      if (isLeft) return end();
      source = new EventSource(url_of("GET /api/agents/{id}/terminals/{terminal}", { path: path.current }));
      source.addEventListener("output", (event) => {
        shown.current?.write((JSON.parse((event as MessageEvent<string>).data) as { text: string }).text);
      });
      source.addEventListener("end", (event) => {
        ended.value = JSON.parse((event as MessageEvent<string>).data) as Ended;
        source?.close();
      });
      source.addEventListener("error", () => {
        if (source?.readyState === EventSource.CLOSED) ended.value ??= { exitCode: null, reason: t("terminal.lost") };
      });
      shown.current?.focus();
    };
    call("POST /api/agents/{id}/terminals", { path: { id: agent.id }, body: shown.current!.size() }).then(
      ({ id }) => follow(id),
      (cause: unknown) => (error.value = sentence(cause)),
    );
    return () => {
      isLeft = true;
      end();
    };
  }, [agent.id, round.value]);

  const resize = (size: TerminalSize) => {
    if (path.current) call("PUT /api/agents/{id}/terminals/{terminal}/size", { path: path.current, body: size }).catch(() => undefined); // it has ended
  };
  const again = () => {
    shown.current?.write("\x1bc"); // cleared
    round.value++;
  };
  const over = ended.value;
  return (
    <section class="terminal-page" aria-label={t("terminal.label", { name: agent.name })}>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <Terminal
        label={t("terminal.screen")}
        help="terminal-help"
        onReady={(terminal) => (shown.current = terminal)}
        onType={(text) => void typing.current?.add(text)}
        onSize={resize}
      />
      {over || error.value ? (
        <div class="actions" role="status">
          {over && <span>{over.reason ?? t("terminal.ended", { code: over.exitCode ?? "?" })}</span>}
          <Button kind="primary" onClick={again}>
            {t("terminal.again")}
          </Button>
        </div>
      ) : (
        <p class="quiet" id="terminal-help">
          {t("terminal.help")}
        </p>
      )}
    </section>
  );
}
