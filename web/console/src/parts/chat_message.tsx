import type { Agent, ChatMessage } from "../api/types";
import { dateTime, time } from "../app/format";
import { t } from "../app/i18n";
import { Avatar } from "../components/avatar";
import { Button } from "../components/button";
import { CopyButton } from "../components/copy_button";
import { Found } from "../components/found";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Markdown } from "../components/markdown";
import { storedSteps } from "../conversation";
import { filesPath, isImage, nameOf, rawUrl } from "../workspace";
import { FileCards, filesOf, workspaceOf } from "./file_cards";
import { Steps } from "./tool_step";

interface Props {
  message: ChatMessage;
  agent: Agent;
  found?: string; // a text that is marked
  canAsk?: boolean; // the agent can take a question now
  onEdit?: (message: ChatMessage) => void; // for the user's own questions
  onAgain?: (message: ChatMessage) => void;
  onBack?: (message: ChatMessage) => void;
  versions?: string[]; // the conversations with the versions of the message
  onVersion?: (conversation: string) => void;
}

export const builtinModel = "agentbox/builtin";

// A question is a small bubble at the end of the line, an answer is plain text. What can be done with either appears when
// it is pointed at, or when the focus is in it.
export function ChatMessageView({ message, agent, found, canAsk = false, onEdit, onAgain, onBack, versions = [], onVersion }: Props) {
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
      {message.steps && <Steps agent={agent} steps={storedSteps(message)} />}
      {found !== undefined || own ? (
        <p class="words" dir="auto">
          <Found text={message.content} words={found ?? ""} />
        </p>
      ) : (
        <Markdown text={message.content} workspace={workspaceOf(agent)} />
      )}
      {message.files && message.files.length > 0 && <Files agent={agent} paths={message.files} />}
      {!own && found === undefined && <FileCards agent={agent} paths={filesOf(message)} />}
      {message.model === builtinModel && (
        <p class="quiet">
          {t("chat.builtin")} <Link to="/usage/providers">{t("steps.model")}</Link>
        </p>
      )}
      {message.stopped && !message.error && <p class="cause">{t("chat.stopped")}</p>}
      {message.error && <p class="cause">{message.error}</p>}
      {versions.length > 1 && <Versions all={versions} shown={message.conversationId} go={onVersion!} />}
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
        {onBack && (
          <Button
            kind="ghost"
            class="icon-only"
            label={t("rewind.title")}
            title={t("rewind.title")}
            disabled={!canAsk}
            onClick={() => onBack(message)}
          >
            <Icon name="restart" />
          </Button>
        )}
      </div>
    </article>
  );
}

// The files that were attached to a question; pictures are shown.
function Files({ agent, paths }: { agent: Agent; paths: string[] }) {
  return (
    <ul class="said-files" aria-label={t("chat.said_files")}>
      {paths.map((path) => (
        <li key={path}>
          <Link to={filesPath(agent, path)} title={path}>
            {isImage(path) && <img src={rawUrl(agent, path)} alt="" loading="lazy" />}
            <bdi>{nameOf(path)}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}

// The arrows between the versions of a question, each of which is a branch of the conversation.
function Versions({ all, shown, go }: { all: string[]; shown: string; go: (conversation: string) => void }) {
  const at = all.indexOf(shown);
  const arrow = (to: number, icon: "back" | "next", label: string) => (
    <Button kind="ghost" class="icon-only" label={label} title={label} disabled={all[to] === undefined} onClick={() => go(all[to]!)}>
      <Icon name={icon} />
    </Button>
  );
  return (
    <p class="versions">
      {arrow(at - 1, "back", t("chat.version_before"))}
      <span>{t("chat.version", { at: at + 1, count: all.length })}</span>
      {arrow(at + 1, "next", t("chat.version_after"))}
    </p>
  );
}
