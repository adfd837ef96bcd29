import type { RefObject } from "preact";
import { isRunning, isSettling } from "../agents";
import type { Agent } from "../api/types";
import { t, tn } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Button } from "../components/button";
import { FileButton } from "../components/file_button";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { attach, conversation, detach, stopEditing, type Talk } from "../conversation";

interface Props {
  agent: Agent;
  talk: Talk;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: () => void;
  onStop: () => void;
}

// The next question: its text, and files for the agent's workspace.
export function Composer({ agent, talk, field, onSend, onStop }: Props) {
  const { draft, editing, attached, uploading, waiting } = conversation(talk);
  const running = isRunning(agent);
  const empty = draft.value.trim() === "" && attached.value.length === 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && editing.value) stopEditing(talk);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (running) onSend();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(talk, files);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {editing.value && (
        <p class="editing">
          {t("chat.editing")}{" "}
          <Button class="small" onClick={() => stopEditing(talk)}>
            {t("action.cancel")}
          </Button>
        </p>
      )}
      <div class="composer-box">
        <Attachments talk={talk} />
        <label class="unseen" for="draft">
          {t("chat.message_to", { name: agent.name })}
        </label>
        <textarea
          ref={field}
          id="draft"
          dir="auto"
          rows={Math.min(10, draft.value.split("\n").length)}
          maxLength={32_000}
          placeholder={placeholder(agent)}
          aria-describedby="draft-hint"
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
        />
        <div class="composer-actions">
          <FileButton icon disabled={uploading.value > 0} onFiles={(files) => void attach(talk, files)}>
            {t("chat.attach")}
          </FileButton>
          <span class="quiet composer-model">
            <Link to={agentPath(agent.id, "settings")}>{agent.model === "auto" ? t("agent.default_model") : agent.model}</Link>
          </span>
          {waiting.value ? (
            <Button class="round" onClick={onStop} label={t("chat.stop_waiting")} title={t("chat.stop_waiting")}>
              <Icon name="stop" />
            </Button>
          ) : (
            <button
              type="submit"
              class="primary round"
              aria-label={t("chat.send")}
              title={t("chat.send")}
              disabled={!running || empty || uploading.value > 0}
            >
              <Icon name="send" />
            </button>
          )}
        </div>
      </div>
      <p class="hint" id="draft-hint">
        {uploading.value > 0 ? tn("chat.uploading", uploading.value) : t("chat.hint")}
      </p>
    </form>
  );
}

function Attachments({ talk }: { talk: Talk }) {
  const { attached } = conversation(talk);
  if (attached.value.length === 0) return null;
  return (
    <ul class="attachments" aria-label={t("chat.attached")}>
      {attached.value.map((path) => (
        <li key={path}>
          <bdi>{path}</bdi>
          <Button class="small" label={t("chat.detach", { name: path })} onClick={() => detach(talk, path)}>
            {t("action.remove")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function placeholder({ name, ...agent }: Agent): string {
  if (isRunning(agent)) return t("chat.message_to", { name });
  return t(isSettling(agent) ? "chat.not_ready" : "chat.start_first", { name });
}
