import { useEffect, useRef } from "preact/hooks";
import { isRunning, isSettling, trouble } from "../agents";
import { conversation, load, sendDraft } from "../conversation";
import type { Agent, ChatMessage } from "../wire";
import { Notice } from "./notice";

export function Chat({ agent }: { agent: Agent }) {
  const { messages, draft, waiting, error } = conversation(agent.id);
  const end = useRef<HTMLDivElement>(null);
  const running = isRunning(agent);
  const reachable = trouble.value === "";

  useEffect(() => {
    if (reachable) void load(agent.id);
  }, [agent.id, running, reachable]);
  useEffect(() => {
    const log = end.current!.parentElement!;
    log.scrollTop = log.scrollHeight;
  }, [agent.id, messages.value, waiting.value]);

  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (running) void sendDraft(agent.id);
  };

  return (
    <div class="chat">
      <div class="log" role="log" aria-label={`Conversation with ${agent.name}`} aria-busy={waiting.value} tabIndex={0}>
        {messages.value?.length === 0 && !waiting.value && (
          <p class="quiet">
            Nothing said yet. Ask {agent.name} to summarize a page, keep a note, or remember something.
          </p>
        )}
        {messages.value?.map((message) => <Message key={message.id} message={message} agent={agent} />)}
        {waiting.value && (
          <p class="waiting">
            {agent.name} is working<span class="dots" aria-hidden="true" />
          </p>
        )}
        <div ref={end} />
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void sendDraft(agent.id);
        }}
      >
        <label class="unseen" for="draft">
          Message to {agent.name}
        </label>
        <textarea
          id="draft"
          rows={Math.min(8, 1 + draft.value.split("\n").length)}
          maxLength={20_000}
          placeholder={placeholder(agent)}
          aria-describedby="draft-hint"
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <button type="submit" class="primary" disabled={!running || waiting.value || draft.value.trim() === ""}>
          Send
        </button>
        <p class="hint" id="draft-hint">
          Enter sends, Shift+Enter starts a new line.
        </p>
      </form>
    </div>
  );
}

function placeholder(agent: Agent): string {
  if (isRunning(agent)) return `Message ${agent.name}`;
  return isSettling(agent) ? `${agent.name} is not ready yet` : `Start ${agent.name} to talk to it`;
}

function Message({ message, agent }: { message: ChatMessage; agent: Agent }) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        <strong>{own ? "You" : agent.name}</strong>{" "}
        <time dateTime={message.createdAt}>
          {new Date(message.createdAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
        </time>
      </header>
      <p>{message.content}</p>
      {message.error && <p class="cause">{message.error}</p>}
    </article>
  );
}
