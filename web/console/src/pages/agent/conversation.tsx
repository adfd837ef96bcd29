import { useEffect, useRef } from "preact/hooks";
import { isRunning, isSettling, trouble } from "../../agents";
import type { Agent, ChatMessage } from "../../api/types";
import { time } from "../../app/format";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Button } from "../../components/button";
import { CopyButton } from "../../components/copy_button";
import { Markdown } from "../../components/markdown";
import { Notice } from "../../components/notice";
import { conversation, load, loadEarlier, retry, sendDraft, stopAnswer } from "../../conversation";
import { AgentFrame } from "../../parts/agent_frame";
import { ToolStep } from "../../parts/tool_step";

export default function ConversationPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="" fill>
      {(agent) => <Chat agent={agent} />}
    </AgentFrame>
  );
}

// Closer to the end than this many pixels, the conversation follows what is added.
const following = 80;

function Chat({ agent }: { agent: Agent }) {
  const one = conversation(agent.id);
  const { messages, hasEarlier, waiting, partial, steps, error } = one;
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const running = isRunning(agent);
  const reachable = trouble.value === "";

  useEffect(() => {
    if (reachable) void load(agent.id);
  }, [agent.id, running, reachable]);
  useEffect(() => {
    if (atEnd.current) log.current!.scrollTop = log.current!.scrollHeight;
  }, [agent.id, messages.value, waiting.value, partial.value, steps.value]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = log.current!;
    atEnd.current = scrollHeight - scrollTop - clientHeight < following;
  };
  const send = () => {
    atEnd.current = true;
    void sendDraft(agent.id);
  };
  const last = messages.value?.at(-1);
  const canRetry = running && !waiting.value && last?.role === "user" && last.delivery === "failed";

  return (
    <div class="chat">
      <div
        ref={log}
        class="log"
        role="log"
        aria-label={t("chat.log", { name: agent.name })}
        aria-busy={waiting.value}
        tabIndex={0}
        onScroll={onScroll}
      >
        {hasEarlier.value && (
          <Button class="small" onClick={() => void loadEarlier(agent.id)}>
            {t("chat.earlier")}
          </Button>
        )}
        {messages.value?.length === 0 && !waiting.value && <p class="quiet">{t("chat.empty", { name: agent.name })}</p>}
        {messages.value?.map((message) => <Message key={message.id} message={message} agent={agent} />)}
        {(partial.value || steps.value.length > 0) && (
          <article class="message">
            <header>
              <strong>
                <bdi>{agent.name}</bdi>
              </strong>
            </header>
            {steps.value.map((step) => (
              <ToolStep key={step.id} step={step} />
            ))}
            <Markdown text={partial.value} />
          </article>
        )}
        {waiting.value && (
          <p class="waiting">
            {t("chat.working", { name: agent.name })}
            <span class="dots" aria-hidden="true" />
          </p>
        )}
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {canRetry && (
        <div class="actions retry">
          <Button class="small" onClick={() => void retry(agent.id, last)}>
            {t("chat.retry")}
          </Button>
        </div>
      )}
      <Composer agent={agent} onSend={send} onStop={() => void stopAnswer(agent.id)} />
    </div>
  );
}

function Composer({ agent, onSend, onStop }: { agent: Agent; onSend: () => void; onStop: () => void }) {
  const { draft, waiting } = conversation(agent.id);
  const running = isRunning(agent);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (running) onSend();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <label class="unseen" for="draft">
        {t("chat.message_to", { name: agent.name })}
      </label>
      <textarea
        id="draft"
        dir="auto"
        rows={Math.min(8, 1 + draft.value.split("\n").length)}
        maxLength={32_000}
        placeholder={placeholder(agent)}
        aria-describedby="draft-hint"
        value={draft.value}
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {waiting.value ? (
        <Button onClick={onStop} label={t("chat.stop_waiting")}>
          {t("chat.stop")}
        </Button>
      ) : (
        <button type="submit" class="primary" disabled={!running || draft.value.trim() === ""}>
          {t("chat.send")}
        </button>
      )}
      <p class="hint" id="draft-hint">
        {t("chat.hint")}
      </p>
    </form>
  );
}

function placeholder({ name, ...agent }: Agent): string {
  if (isRunning(agent)) return t("chat.message_to", { name });
  return t(isSettling(agent) ? "chat.not_ready" : "chat.start_first", { name });
}

function Message({ message, agent }: { message: ChatMessage; agent: Agent }) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        <strong>{own ? t("chat.you") : <bdi>{agent.name}</bdi>}</strong>{" "}
        <time dateTime={message.createdAt}>{time(message.createdAt)}</time>
        {message.model && <span class="model">{message.model}</span>}
        {!own && <CopyButton text={message.content} label={t("chat.copy")} />}
      </header>
      {own ? (
        <p class="words" dir="auto">
          {message.content}
        </p>
      ) : (
        <Markdown text={message.content} />
      )}
      {message.stopped && <p class="cause">{t("chat.stopped")}</p>}
      {message.error && <p class="cause">{message.error}</p>}
    </article>
  );
}
