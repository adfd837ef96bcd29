import { type Signal, useSignal } from "@preact/signals";
import { Fragment, type RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isRunning } from "../../agents";
import { call, sentence } from "../../api/client";
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
import { Waiting } from "../../components/waiting";
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
import { beginTalk, ConversationList, exportMarkdown, talkPath } from "../../parts/conversation_list";
import { workspaceOf } from "../../parts/file_cards";
import { Inspector, InspectorButton } from "../../parts/inspector";
import { RewindDialog } from "../../parts/rewind_dialog";
import type { SlashCommand } from "../../parts/slash_commands";
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
  const opened = useSignal(false);
  const open = opened.value || search !== "";
  return (
    <div class="chat-head" role="search" aria-label={t("chat.tools")}>
      {open ? (
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
            opened.value = false;
          }}
        />
      ) : (
        <bdi class="one-line">{title}</bdi>
      )}
      <Button
        kind="ghost"
        class="icon-only"
        label={t(open ? "chat.search_close" : "chat.search_open")}
        title={t(open ? "chat.search_close" : "chat.search_open")}
        onClick={() => {
          if (open) setParameter("q", "");
          opened.value = !open;
        }}
      >
        <Icon name={open ? "close" : "search"} />
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
  const { messages, hasEarlier, waiting, partial, steps, queued, error, deleting } = one;
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
  // One writes at once, unless the tour is read. On a phone that would bring up the keyboard over what is to be read.
  useEffect(() => {
    if (document.activeElement?.closest(".tour")) return;
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
  const commands = item ? commandsOf(agent, item, reload, error) : [];
  useTalkKeys({ begin: () => void beginTalk(agent, reload), stop: () => waiting.value && void stopAnswer(talk), field: draft });
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
            <Steps agent={agent} steps={steps.value} />
            <Markdown text={partial.value} workspace={workspaceOf(agent)} />
          </article>
        )}
        {waiting.value && <Waiting name={agent.name} queued={queued.value} />}
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
          item={item}
          field={draft}
          commands={commands}
          reload={reload}
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

// What can be done with the conversation from the message field.
function commandsOf(agent: Agent, item: ConversationItem, reload: () => Promise<void>, error: Signal<string>): SlashCommand[] {
  const change = async (body: { title?: string; archived?: boolean; pinned?: boolean }) => {
    await call("PATCH /api/agents/{id}/conversations/{conversation}", { path: { id: agent.id, conversation: item.id }, body });
    await reload();
  };
  const reported = (work: (rest: string) => Promise<void>) => (rest: string) =>
    work(rest).catch((cause: unknown) => void (error.value = sentence(cause)));
  return [
    { name: "new", does: t("slash.new"), run: reported(() => beginTalk(agent, reload)) },
    { name: "search", does: t("slash.search"), takes: t("slash.search_words"), run: (words) => setParameter("q", words) },
    { name: "rename", does: t("slash.rename"), takes: t("slash.rename_title"), run: reported((title) => change({ title })) },
    { name: "pin", does: t(item.pinned ? "slash.unpin" : "slash.pin"), run: reported(() => change({ pinned: !item.pinned })) },
    {
      name: "archive",
      does: t(item.archived ? "slash.restore" : "slash.archive"),
      run: reported(() => change({ archived: !item.archived })),
    },
    { name: "export", does: t("slash.export"), run: reported(() => exportMarkdown(agent, item)) },
  ];
}

interface TalkKeys {
  begin: () => void;
  stop: () => void;
  field: RefObject<HTMLTextAreaElement | null>;
}

// Keys that work wherever the focus is on the page (app/shortcuts.tsx names them).
function useTalkKeys(keys: TalkKeys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { begin, stop, field } = latest.current;
      const control = event.ctrlKey || event.metaKey;
      if (control && event.shiftKey && event.code === "KeyO") begin();
      else if (control && event.key === ".") stop();
      else if (event.key === "Escape" && event.shiftKey && !document.querySelector("dialog[open]")) field.current?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
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
