import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isRunning } from "../../agents";
import { lost, useLive } from "../../api/live";
import type { Agent, ChatMessage } from "../../api/types";
import { date } from "../../app/format";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { parameter, setParameter } from "../../app/router";
import { Button } from "../../components/button";
import { DropZone } from "../../components/drop_zone";
import { Markdown } from "../../components/markdown";
import { Notice } from "../../components/notice";
import { attach, conversation, edit, load, loadEarlier, retry, sendDraft, stopAnswer } from "../../conversation";
import { AgentFrame } from "../../parts/agent_frame";
import { ChatMessageView } from "../../parts/chat_message";
import { ChatSearch } from "../../parts/chat_search";
import { Composer } from "../../parts/composer";
import { ToolStep } from "../../parts/tool_step";

export default function ConversationPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="" fill>
      {(agent) => <Conversation agent={agent} />}
    </AgentFrame>
  );
}

function Conversation({ agent }: { agent: Agent }) {
  const search = parameter("q");
  return (
    <DropZone class="chat" label={t("chat.drop", { name: agent.name })} onFiles={(files) => void attach(agent.id, files)}>
      <h2 class="unseen">{t("page.conversation")}</h2>
      <div class="list-tools" role="search" aria-label={t("chat.tools")}>
        <input
          type="search"
          aria-label={t("chat.search")}
          placeholder={t("chat.search")}
          maxLength={200}
          value={search}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
        />
      </div>
      {search.trim() ? <ChatSearch key={search} agent={agent} text={search.trim()} /> : <Chat agent={agent} />}
    </DropZone>
  );
}

// Closer to the end than this many pixels, the conversation follows what is added.
const following = 80;

function Chat({ agent }: { agent: Agent }) {
  const one = conversation(agent.id);
  const { messages, hasEarlier, waiting, partial, steps, error } = one;
  const log = useRef<HTMLDivElement>(null);
  const draft = useRef<HTMLTextAreaElement>(null);
  const atEnd = useRef(true);
  const kept = useSignal(0); // pixels below the top of the view when earlier messages were asked for
  const running = isRunning(agent);
  const reachable = !lost.value;

  useEffect(() => {
    if (reachable) void load(agent.id);
  }, [agent.id, running, reachable]);
  useLive(["message"], () => load(agent.id), ({ id, removed }) => id === agent.id && !removed);
  useEffect(() => {
    if (atEnd.current) log.current!.scrollTop = log.current!.scrollHeight;
  }, [agent.id, messages.value, waiting.value, partial.value, steps.value]);
  // Earlier messages come above what is being read, which stays where it is.
  const first = messages.value?.[0]?.id;
  useEffect(() => {
    if (kept.value) log.current!.scrollTop = log.current!.scrollHeight - kept.value;
    kept.value = 0;
  }, [first]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = log.current!;
    atEnd.current = scrollHeight - scrollTop - clientHeight < following;
  };
  const earlier = () => {
    kept.value = log.current!.scrollHeight - log.current!.scrollTop;
    void loadEarlier(agent.id);
  };
  const last = messages.value?.at(-1);
  const canAsk = running && !waiting.value;
  const canRetry = canAsk && last?.role === "user" && last.delivery === "failed";
  const actions = {
    onEdit: (message: ChatMessage) => {
      edit(agent.id, message);
      draft.current?.focus();
    },
    onAgain: (message: ChatMessage) => {
      atEnd.current = true;
      void retry(agent.id, message);
    },
  };

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
          <Button class="small" onClick={earlier}>
            {t("chat.earlier")}
          </Button>
        )}
        {messages.value?.length === 0 && !waiting.value && <p class="quiet">{t("chat.empty", { name: agent.name })}</p>}
        {messages.value?.map((message, index, all) => (
          <Fragment key={message.id}>
            {newDay(all[index - 1], message) && <p class="day">{date(message.createdAt)}</p>}
            <ChatMessageView
              message={message}
              agent={agent}
              {...(message.role === "user" && message.id !== "sending" && { ...actions, canAsk })}
            />
          </Fragment>
        ))}
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
          <Button class="small" onClick={() => actions.onAgain(last)}>
            {t("chat.retry")}
          </Button>
        </div>
      )}
      <Composer
        agent={agent}
        field={draft}
        onSend={() => {
          atEnd.current = true;
          void sendDraft(agent.id);
        }}
        onStop={() => void stopAnswer(agent.id)}
      />
    </>
  );
}

const newDay = (before: ChatMessage | undefined, message: ChatMessage) =>
  new Date(before?.createdAt ?? Date.now()).toDateString() !== new Date(message.createdAt).toDateString();
