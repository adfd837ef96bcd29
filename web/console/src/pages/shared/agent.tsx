import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../../api/client";
import { lost } from "../../api/live";
import type { ChatMessage, SharedAgent, SharedConversation } from "../../api/types";
import { dateTime, time } from "../../app/format";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { Avatar } from "../../components/avatar";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { CopyButton } from "../../components/copy_button";
import { EmptyState } from "../../components/empty_state";
import { Select } from "../../components/field";
import { Icon } from "../../components/icon";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Markdown } from "../../components/markdown";
import { Notice } from "../../components/notice";
import { Waiting } from "../../components/waiting";
import { conversation, load, loadEarlier, retry, sendDraft, stopAnswer, storedSteps, type Talk } from "../../conversation";
import { SharedFrame } from "../../parts/shared_frame";
import { Steps } from "../../parts/tool_step";

// An agent of another: the user's own conversations with it, and those that its owner shows.
export default function SharedAgentPage({ id }: PageProps) {
  return (
    <SharedFrame id={id} tab="" fill>
      {(agent) => <Talks agent={agent} />}
    </SharedFrame>
  );
}

const titleOf = (one: SharedConversation) => one.title || t("talks.untitled");

// The address names the conversation; without one it is a new one.
function Talks({ agent }: { agent: SharedAgent }) {
  const path = { id: agent.id };
  const talks = useLoad(async () => (await call("GET /api/shared/{id}/conversations", { path })).conversations, [agent.id]);
  useRefreshOnReturn(talks);
  const removing = useSignal<SharedConversation | null>(null);
  const chosen = parameter("conversation");
  const current = talks.data.value?.find(({ id }) => id === chosen);
  return (
    <div class="chat">
      <h2 class="unseen">{current ? titleOf(current) : t("page.conversation")}</h2>
      <div class="shared-talks">
        <Select label={t("page.conversation")} value={chosen} onChange={(event) => setParameter("conversation", event.currentTarget.value)}>
          <option value="">{agent.role === "viewer" ? t("shared.choose") : t("talks.new")}</option>
          {(talks.data.value ?? []).map((one) => (
            <option key={one.id} value={one.id}>
              {one.own ? titleOf(one) : t("shared.owners", { title: titleOf(one) })}
            </option>
          ))}
        </Select>
        {current?.own && (
          <Button kind="danger" onClick={() => (removing.value = current)}>
            {t("action.delete")}
          </Button>
        )}
      </div>
      <Loaded of={talks}>
        {() => (
          <Chat
            key={chosen}
            agent={agent}
            talk={{ agentId: agent.id, conversationId: chosen, shared: true }}
            canTalk={agent.role !== "viewer" && (!current || current.own)}
            onBegun={async (id) => {
              setParameter("conversation", id);
              await talks.reload();
            }}
          />
        )}
      </Loaded>
      {removing.value && (
        <Confirm
          title={t("keys.delete_title", { name: titleOf(removing.value) })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            const { id } = removing.value!;
            setParameter("conversation", "");
            await call("DELETE /api/shared/{id}/conversations/{conversation}", { path: { ...path, conversation: id } });
            await talks.reload();
          }}
        >
          <p>{t("shared.delete_text")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface ChatProps {
  agent: SharedAgent;
  talk: Talk;
  canTalk: boolean;
  onBegun: (conversation: string) => Promise<void>;
}

// Closer to the end than this many pixels, the conversation follows what is added.
const following = 80;

function Chat({ agent, talk, canTalk, onBegun }: ChatProps) {
  const { messages, hasEarlier, waiting, partial, steps, queued, error } = conversation(talk);
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (!lost.value) void load(talk);
  }, [talk.conversationId, lost.value]);
  useEffect(() => {
    if (atEnd.current) log.current!.scrollTop = log.current!.scrollHeight;
  }, [messages.value, waiting.value, partial.value, steps.value]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = log.current!;
    atEnd.current = scrollHeight - scrollTop - clientHeight < following;
  };
  const question = messages.value?.findLast(({ role }) => role === "user");
  const canRetry = canTalk && !waiting.value && question?.delivery === "failed" && messages.value?.at(-1) === question;
  const enter = ({ conversationId }: Talk) => onBegun(conversationId);
  return (
    <>
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
          <Button class="small" onClick={() => void loadEarlier(talk)}>
            {t("chat.earlier")}
          </Button>
        )}
        {messages.value?.length === 0 && !waiting.value && (
          <EmptyState title={agent.role === "viewer" ? t("shared.choose") : t("shared.begin")} />
        )}
        {messages.value?.map((message) => (
          <Said key={message.id} message={message} agent={agent} />
        ))}
        {(partial.value || steps.value.length > 0) && (
          <article class="message">
            <Speaker agent={agent} />
            <Steps agent={{ ...agent, shared: true }} steps={steps.value} />
            <Markdown text={partial.value} />
          </article>
        )}
        {waiting.value && <Waiting name={agent.name} queued={queued.value} />}
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {canRetry && (
        <div class="actions retry">
          <Button class="small" onClick={() => void retry(talk, question)}>
            {t("chat.retry")}
          </Button>
        </div>
      )}
      {canTalk && (
        <Draft
          talk={talk}
          onSend={() => {
            atEnd.current = true;
            void sendDraft(talk, enter);
          }}
        />
      )}
    </>
  );
}

function Speaker({ agent }: { agent: SharedAgent }) {
  return (
    <header>
      <Avatar id={agent.id} name={agent.name} />
      <strong>
        <bdi>{agent.name}</bdi>
      </strong>
    </header>
  );
}

function Said({ message, agent }: { message: ChatMessage; agent: SharedAgent }) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        {!own && <Avatar id={agent.id} name={agent.name} />}
        <strong class={own ? "unseen" : undefined}>{own ? t("chat.you") : <bdi>{agent.name}</bdi>}</strong>
        <time dateTime={message.createdAt} title={dateTime(message.createdAt)}>
          {time(message.createdAt)}
        </time>
      </header>
      {message.steps && <Steps agent={{ ...agent, shared: true }} steps={storedSteps(message)} />}
      {own ? (
        <p class="words" dir="auto">
          {message.content}
        </p>
      ) : (
        <Markdown text={message.content} />
      )}
      {message.stopped && !message.error && <p class="cause">{t("chat.stopped")}</p>}
      {message.error && <p class="cause">{message.error}</p>}
      {!own && (
        <div class="message-actions">
          <CopyButton text={message.content} label={t("chat.copy")} icon />
        </div>
      )}
    </article>
  );
}

// The next question.
function Draft({ talk, onSend }: { talk: Talk; onSend: () => void }) {
  const { draft, waiting } = conversation(talk);
  const field = useRef<HTMLTextAreaElement>(null);
  // On a phone the focus would bring up the keyboard over what is to be read.
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches) field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <div class="composer-box">
        <label class="unseen" for="draft">
          {t("shared.message")}
        </label>
        <textarea
          ref={field}
          id="draft"
          dir="auto"
          rows={Math.min(10, draft.value.split("\n").length)}
          maxLength={32_000}
          placeholder={t("shared.message")}
          aria-describedby="draft-hint"
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            onSend();
          }}
        />
        <div class="composer-actions">
          <span class="composer-model" />
          {waiting.value ? (
            <Button class="round" onClick={() => void stopAnswer(talk)} label={t("chat.stop_waiting")} title={t("chat.stop_waiting")}>
              <Icon name="stop" />
            </Button>
          ) : (
            <button
              type="submit"
              class="primary round"
              aria-label={t("chat.send")}
              title={t("chat.send")}
              disabled={draft.value.trim() === ""}
            >
              <Icon name="send" />
            </button>
          )}
        </div>
      </div>
      <p class="hint" id="draft-hint">
        {t("chat.hint")}
      </p>
    </form>
  );
}
