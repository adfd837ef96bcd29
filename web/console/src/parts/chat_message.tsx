import type { Agent, ChatMessage } from "../api/types";
import { dateTime, time } from "../app/format";
import { t } from "../app/i18n";
import { Avatar } from "../components/avatar";
import { Button } from "../components/button";
import { CopyButton } from "../components/copy_button";
import { Found } from "../components/found";
import { Icon } from "../components/icon";
import { Markdown } from "../components/markdown";
import { storedSteps } from "../conversation";
import { Steps } from "./tool_step";

interface Props {
  message: ChatMessage;
  agent: Agent;
  found?: string; // a text that is marked
  canAsk?: boolean; // the agent can take a question now
  onEdit?: (message: ChatMessage) => void; // for the user's own questions
  onAgain?: (message: ChatMessage) => void;
}

// A question is a small bubble at the end of the line, an answer is plain text. What can be done with either appears when
// it is pointed at, or when the focus is in it.
export function ChatMessageView({ message, agent, found, canAsk = false, onEdit, onAgain }: Props) {
  const own = message.role === "user";
  return (
    <article class={own ? "message own" : "message"}>
      <header>
        {!own && <Avatar id={agent.id} name={agent.name} />}
        <strong class={own ? "unseen" : undefined}>{own ? t("chat.you") : <bdi>{agent.name}</bdi>}</strong>
        <time dateTime={message.createdAt} title={dateTime(message.createdAt)}>
          {time(message.createdAt)}
        </time>
        {message.model && <span class="model">{message.model}</span>}
      </header>
      {message.steps && <Steps steps={storedSteps(message)} />}
      {found !== undefined || own ? (
        <p class="words" dir="auto">
          <Found text={message.content} words={found ?? ""} />
        </p>
      ) : (
        <Markdown text={message.content} />
      )}
      {message.stopped && !message.error && <p class="cause">{t("chat.stopped")}</p>}
      {message.error && <p class="cause">{message.error}</p>}
      <div class="message-actions">
        {!own && <CopyButton text={message.content} label={t("chat.copy")} icon />}
        {onEdit && (
          <Button kind="ghost" class="icon-only" label={t("chat.edit_this")} title={t("chat.edit_this")} onClick={() => onEdit(message)}>
            <Icon name="edit" />
          </Button>
        )}
        {onAgain && (
          <Button
            kind="ghost"
            class="icon-only"
            label={t("chat.again")}
            title={t("chat.again")}
            disabled={!canAsk}
            onClick={() => onAgain(message)}
          >
            <Icon name="reload" />
          </Button>
        )}
      </div>
    </article>
  );
}
