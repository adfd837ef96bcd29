import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isRunning } from "../../agents";
import { call } from "../../api/client";
import { lost, useLive } from "../../api/live";
import type { Agent, ChatMessage, ConversationItem } from "../../api/types";
import { date } from "../../app/format";
import { named, t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { go, parameter, setParameter } from "../../app/router";
import { Avatar } from "../../components/avatar";
import { Button } from "../../components/button";
import { DropZone } from "../../components/drop_zone";
import { Icon } from "../../components/icon";
import { Markdown } from "../../components/markdown";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { familyOf, loadQuestions, placeOf, questionsOf, versionsOf } from "../../branches";
import {
  attach,
  conversation,
  edit,
  goOn,
  load,
  loadEarlier,
  regenerate,
  retry,
  sendDraft,
  stopAnswer,
  type Talk,
} from "../../conversation";
import { AgentFrame } from "../../parts/agent_frame";
import { AskCard } from "../../parts/ask_card";
import { ChatMessageView } from "../../parts/chat_message";
import { ChatSearch } from "../../parts/chat_search";
import { Composer } from "../../parts/composer";
import { ConversationList, talkPath } from "../../parts/conversation_list";
import { Inspector, InspectorButton } from "../../parts/inspector";
import { RewindDialog } from "../../parts/rewind_dialog";
import { Steps } from "../../parts/tool_step";

export default function ConversationPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="" fill wide>
      {(agent) => <Conversation agent={agent} />}
    </AgentFrame>
  );
}

// The address names the conversation; without one it is the current one.
function Conversation({ agent }: { agent: Agent }) {
  const list = useLoad(() => call("GET /api/agents/{id}/conversations", { path: { id: agent.id } }), [agent.id]);
  useLive(["message"], list.reload, ({ id, removed }) => id === agent.id && !removed);
  return (
    <Loaded of={list}>
      {({ conversations, current }) => {
        const id = parameter("c") || current;
        return (
          <div class="talks">
            <ConversationList agent={agent} list={conversations} shown={id} reload={list.reload} />
            <Shown key={id} agent={agent} talk={{ agentId: agent.id, conversationId: id }} list={conversations} reload={list.reload} />
            <Inspector agent={agent} talk={{ agentId: agent.id, conversationId: id }} />
          </div>
        );
      }}
    </Loaded>
  );
}

interface ShownProps {
  agent: Agent;
  talk: Talk;
  list: ConversationItem[];
  reload: () => Promise<void>;
}

function Shown({ agent, talk, list, reload }: ShownProps) {
  const search = parameter("q");
  const item = list.find((one) => one.id === talk.conversationId);
  return (
    <DropZone class="chat" label={t("chat.drop", { name: agent.name })} onFiles={(files) => void attach(talk, files)}>
      <h2 class="unseen">{item?.title || t("page.conversation")}</h2>
      <ChatHead title={item?.title ?? ""} />
      {search.trim() ? (
        <ChatSearch key={search} agent={agent} text={search.trim()} />
      ) : (
        <Chat agent={agent} talk={talk} list={list} reload={reload} />
      )}
    </DropZone>
  );
}

// The title, and the search behind its icon.
function ChatHead({ title }: { title: string }) {
  const search = parameter("q");
  const open = useSignal(search !== "");
  return (
    <div class="chat-head" role="search" aria-label={t("chat.tools")}>
      {open.value ? (
        <input
          type="search"
          autoFocus={search === ""}
          aria-label={t("chat.search")}
          placeholder={t("chat.search")}
          maxLength={200}
          value={search}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setParameter("q", "");
            open.value = false;
          }}
        />
      ) : (
        <bdi class="one-line">{title}</bdi>
      )}
      <Button
        kind="ghost"
        class="icon-only"
        label={t(open.value ? "chat.search_close" : "chat.search_open")}
        title={t(open.value ? "chat.search_close" : "chat.search_open")}
        onClick={() => {
          if (open.value) setParameter("q", "");
          open.value = !open.value;
        }}
      >
        <Icon name={open.value ? "close" : "search"} />
      </Button>
      <InspectorButton />
    </div>
  );
}

// Closer to the end than this many pixels, the conversation follows what is added.
const following = 80;

function Chat({ agent, talk, list, reload }: ShownProps) {
  const one = conversation(talk);
  const item = list.find(({ id }) => id === talk.conversationId);
  const isPeers = item !== undefined && item.audience !== "owner";
  const goingBack = useSignal<ChatMessage | undefined>(undefined);
  const { messages, hasEarlier, waiting, partial, steps, error, deleting } = one;
  const log = useRef<HTMLDivElement>(null);
  const draft = useRef<HTMLTextAreaElement>(null);
  const atEnd = useRef(true);
  const kept = useSignal(0); // pixels below the top of the view when earlier messages were asked for
  const running = isRunning(agent);
  const reachable = !lost.value;

  useEffect(() => {
    if (reachable && !deleting.value) void load(talk);
  }, [talk.conversationId, running, reachable, deleting.value]);
  useLive(
    ["message"],
    () => load(talk),
    ({ id, removed }) => id === agent.id && !removed,
  );
  // One writes at once. On a phone that would bring up the keyboard over what is to be read.
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches && !isPeers) draft.current?.focus({ preventScroll: true });
  }, [talk.conversationId]);
  useEffect(() => {
    if (atEnd.current) log.current!.scrollTop = log.current!.scrollHeight;
  }, [talk.conversationId, messages.value, waiting.value, partial.value, steps.value]);
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
    void loadEarlier(talk);
  };
  const enter = async ({ conversationId }: Talk) => {
    await reload();
    go(talkPath(agent.id, conversationId));
  };
  const last = messages.value?.at(-1);
  const canAsk = running && !waiting.value && !isPeers;
  const question = messages.value?.findLast(({ role }) => role === "user");
  const canRetry = canAsk && question?.delivery === "failed" && (last === question || last?.error !== undefined);
  const actions = {
    onEdit: (message: ChatMessage) => {
      edit(talk, message);
      draft.current?.focus();
    },
    onAgain: (message: ChatMessage) => {
      atEnd.current = true;
      void (message.delivery === "failed" ? retry(talk, message) : regenerate(talk, message, enter));
    },
    onBack: (message: ChatMessage) => (goingBack.value = message),
  };
  const family = familyOf(list, talk.conversationId);
  const branches = useLoad(() => loadQuestions(agent.id, family), [family.join()]);
  const questions = questionsOf(messages.value ?? []);
  const versions = (message: ChatMessage) => {
    const at = questions.indexOf(placeOf(message));
    const isKnown = branches.data.value && (at > 0 || (at === 0 && !hasEarlier.value));
    return isKnown ? versionsOf(branches.data.value!, talk.conversationId, questions, at) : [];
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
              {...(message.role === "user" &&
                message.id !== "sending" &&
                !isPeers && { ...actions, canAsk, versions: versions(message), onVersion: (id: string) => go(talkPath(agent.id, id)) })}
            />
          </Fragment>
        ))}
        {(partial.value || steps.value.length > 0) && (
          <article class="message">
            <header>
              <Avatar id={agent.id} name={agent.name} />
              <strong>
                <bdi>{agent.name}</bdi>
              </strong>
            </header>
            <Steps steps={steps.value} />
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
      <Asks talk={talk} />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {last?.guard && canAsk && (
        <Notice kind="hint">
          {named("chat.guard", last.guard)}
          <div class="actions start">
            <Button
              class="small"
              onClick={() => {
                atEnd.current = true;
                void goOn(talk);
              }}
            >
              {t("chat.go_on_button")}
            </Button>
          </div>
        </Notice>
      )}
      {goingBack.value && (
        <RewindDialog
          agent={agent}
          message={goingBack.value}
          onClose={() => (goingBack.value = undefined)}
          onBack={async () => {
            await load(talk);
            await reload();
          }}
        />
      )}
      {canRetry && (
        <div class="actions retry">
          <Button class="small" onClick={() => actions.onAgain(question)}>
            {t("chat.retry")}
          </Button>
        </div>
      )}
      {isPeers ? (
        <p class="quiet read-only">{t("talks.read_only", { name: agent.name })}</p>
      ) : (
        <Composer
          agent={agent}
          talk={talk}
          field={draft}
          onSend={() => {
            atEnd.current = true;
            void sendDraft(talk, enter);
          }}
          onStop={() => void stopAnswer(talk)}
        />
      )}
    </>
  );
}

// What the agent asks for in this conversation.
function Asks({ talk: { agentId, conversationId } }: { talk: Talk }) {
  const found = useLoad(() => call("GET /api/asks", { query: { agentId, waiting: true } }), [agentId]);
  useLive(["message"], found.reload, ({ id }) => id === agentId);
  const asks = (found.data.value?.asks ?? []).filter((ask) => ask.conversationId === conversationId);
  return (
    <>
      {asks.map((ask) => (
        <AskCard key={ask.id} ask={ask} onChanged={() => void found.reload()} />
      ))}
    </>
  );
}

const newDay = (before: ChatMessage | undefined, message: ChatMessage) =>
  new Date(before?.createdAt ?? Date.now()).toDateString() !== new Date(message.createdAt).toDateString();
