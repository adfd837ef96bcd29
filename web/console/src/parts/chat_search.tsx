import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { sentence } from "../api/client";
import type { Agent, ChatMessage } from "../api/types";
import { dateTime } from "../app/format";
import { t, tn } from "../app/i18n";
import { setParameter } from "../app/router";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { Link } from "../components/link";
import { Notice } from "../components/notice";
import { search } from "../conversation";
import { ChatMessageView } from "./chat_message";

// Milliseconds after the last key before the box is asked.
const pause = 250;

// The messages with a text, newest first, in the place of the conversation.
export function ChatSearch({ agent, text }: { agent: Agent; text: string }) {
  const found = useSignal<ChatMessage[] | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const error = useSignal("");
  const look = async (current: () => boolean, before?: string) => {
    try {
      const page = await search(agent.id, text, before);
      if (!current()) return;
      found.value = [...(found.value ?? []), ...page.messages.toReversed()];
      next.value = page.next;
      error.value = "";
    } catch (cause) {
      if (current()) error.value = sentence(cause);
    }
  };
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => void look(() => current), pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="log results" role="region" aria-label={t("chat.results")} tabIndex={0}>
      <p class="quiet" role="status">
        {found.value ? tn("list.found", found.value.length) : error.value ? "" : t("state.loading")}
      </p>
      {error.value && (
        <Notice kind="error">
          {error.value}
          <div class="actions start">
            <Button onClick={() => void look(() => true, next.value)}>{t("action.retry")}</Button>
          </div>
        </Notice>
      )}
      {found.value?.length === 0 && !next.value && (
        <EmptyState title={t("list.nothing")} text={t("chat.nothing")}>
          <Button onClick={() => setParameter("q", "")}>{t("chat.back")}</Button>
        </EmptyState>
      )}
      {found.value?.map((message) => (
        <div key={message.id} class="result">
          <p class="day">
            <Link to={`/agents/${agent.id}?c=${message.conversationId}`}>{dateTime(message.createdAt)}</Link>
          </p>
          <ChatMessageView message={message} agent={agent} found={text} />
        </div>
      ))}
      {next.value && (
        <Button class="small" onClick={() => void look(() => true, next.value)}>
          {t("chat.earlier")}
        </Button>
      )}
    </div>
  );
}
