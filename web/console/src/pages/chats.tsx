// The conversations with all agents, by their newest message; the search looks at every text.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, watch } from "../agents";
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { ConversationOverview } from "../api/types";
import { relative } from "../app/format";
import { t } from "../app/i18n";
import { parameter, setParameter } from "../app/router";
import { Avatar } from "../components/avatar";
import { Badge } from "../components/badge";
import { EmptyState } from "../components/empty_state";
import { Found } from "../components/found";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { withoutMarks } from "../parts/agent_cards";
import { talkPath } from "../parts/conversation_list";

const most = 200;
// Milliseconds without a key before the box is asked.
const pause = 250;

export default function ChatsPage() {
  useEffect(watch, []);
  const words = parameter("q");
  const asked = useSignal(words);
  useEffect(() => {
    const timer = setTimeout(() => (asked.value = words), pause);
    return () => clearTimeout(timer);
  }, [words]);
  const q = asked.value.trim();
  const talks = useLoad(async () => (await call("GET /api/conversations", { query: { limit: most, ...(q && { q }) } })).conversations, [q]);
  useLive(["message"], talks.reload);
  return (
    <div class="column">
      <header>
        <h1>{t("page.chats")}</h1>
        <p class="quiet">{t("chats.about")}</p>
      </header>
      <div class="list-tools" role="search" aria-label={t("chat.tools")}>
        <input
          type="search"
          aria-label={t("chats.search")}
          placeholder={t("chats.search")}
          maxLength={200}
          value={words}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
        />
      </div>
      <Loaded of={talks}>{(list) => <Talks list={list} words={q} />}</Loaded>
    </div>
  );
}

function Talks({ list, words }: { list: ConversationOverview[]; words: string }) {
  const agent = parameter("agent");
  const folder = parameter("folder");
  const archived = parameter("archived") !== "";
  const agents = [...new Set(list.map(({ agentId }) => agentId))];
  const folders = [...new Set(list.map(({ conversation }) => conversation.folder))].filter(Boolean).sort();
  const shown = list.filter(
    ({ agentId, conversation }) =>
      (!agent || agentId === agent) && (!folder || conversation.folder === folder) && (archived || words || !conversation.archived),
  );
  return (
    <>
      <div class="list-tools">
        {agents.length > 1 && (
          <select aria-label={t("chats.agent")} value={agent} onChange={(event) => setParameter("agent", event.currentTarget.value)}>
            <option value="">{t("list.all")}</option>
            {agents.map((id) => (
              <option key={id} value={id}>
                {nameOf(id) || t("usage.deleted_agent")}
              </option>
            ))}
          </select>
        )}
        {folders.length > 0 && (
          <select aria-label={t("chats.folder")} value={folder} onChange={(event) => setParameter("folder", event.currentTarget.value)}>
            <option value="">{t("list.all")}</option>
            {folders.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        {list.some(({ conversation }) => conversation.archived) && (
          <label class="choice">
            <input
              type="checkbox"
              checked={archived}
              onChange={(event) => setParameter("archived", event.currentTarget.checked ? "1" : "")}
            />
            {t("talks.archived")}
          </label>
        )}
      </div>
      {shown.length === 0 ? (
        <EmptyState title={words ? t("list.nothing") : t("chats.empty")} text={words ? t("list.nothing_hint") : t("chats.empty_text")} />
      ) : (
        <ul class="rows talk-rows">
          {shown.map(({ agentId, conversation, text }) => (
            <li key={conversation.id}>
              <div class="with-face">
                <Avatar id={agentId} name={nameOf(agentId)} />
                <div>
                  <Link to={talkPath(agentId, conversation.id)} entry>
                    <bdi>{conversation.title || t("talks.untitled")}</bdi>
                  </Link>{" "}
                  {conversation.pinned && <Icon name="pin" size={12} />} {conversation.folder && <Badge>{conversation.folder}</Badge>}
                  {conversation.archived && <Badge>{t("talks.archive_state")}</Badge>}
                  <p class="one-line quiet" dir="auto">
                    {words ? <Found text={text} words={words} /> : withoutMarks(text)}
                  </p>
                </div>
              </div>
              <span class="quiet talk-facts">
                <bdi>{nameOf(agentId)}</bdi> · {t(`talks.channel.${conversation.channel}`)} ·{" "}
                <time dateTime={conversation.lastMessageAt}>{relative(conversation.lastMessageAt)}</time>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
