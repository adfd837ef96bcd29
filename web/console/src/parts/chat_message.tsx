import type { Agent, ChatMessage } from "../api/types";
import { time } from "../app/format";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CopyButton } from "../components/copy_button";
import { Found } from "../components/found";
import { Markdown } from "../components/markdown";

interface Props {
  message: ChatMessage;
  agent: Agent;
  found?: string; // a text that is marked
  canAsk?: boolean; // the agent can take a question now
  onEdit?: (message: ChatMessage) => void; // for the user's own questions
  onAgain?: (message: ChatMessage) => void;
}

export function ChatMessageView({ message, agent, found, canAsk = false, onEdit, onAgain }: Props) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        <strong>{own ? t("chat.you") : <bdi>{agent.name}</bdi>}</strong>{" "}
        <time dateTime={message.createdAt}>{time(message.createdAt)}</time>
        {message.model && <span class="model">{message.model}</span>}
        {!own && <CopyButton text={message.content} label={t("chat.copy")} />}
        {onEdit && (
          <Button class="small" label={t("chat.edit_this")} onClick={() => onEdit(message)}>
            {t("action.edit")}
          </Button>
        )}
        {onAgain && (
          <Button class="small" disabled={!canAsk} onClick={() => onAgain(message)}>
            {t("chat.again")}
          </Button>
        )}
      </header>
      {found !== undefined || own ? (
        <p class="words" dir="auto">
          <Found text={message.content} words={found ?? ""} />
        </p>
      ) : (
        <Markdown text={message.content} />
      )}
      {message.stopped && <p class="cause">{t("chat.stopped")}</p>}
      {message.error && <p class="cause">{message.error}</p>}
    </article>
  );
}
