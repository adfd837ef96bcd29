import type { RefObject } from "preact";
import { isRunning, isSettling } from "../agents";
import type { Agent } from "../api/types";
import { t, tn } from "../app/i18n";
import { Button } from "../components/button";
import { FileButton } from "../components/file_button";
import { attach, conversation, detach, stopEditing } from "../conversation";

interface Props {
  agent: Agent;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: () => void;
  onStop: () => void;
}

// The next question: its text, and files for the agent's workspace.
export function Composer({ agent, field, onSend, onStop }: Props) {
  const { draft, editing, attached, uploading, waiting } = conversation(agent.id);
  const running = isRunning(agent);
  const empty = draft.value.trim() === "" && attached.value.length === 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && editing.value) stopEditing(agent.id);
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (running) onSend();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(agent.id, files);
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
          <Button class="small" onClick={() => stopEditing(agent.id)}>
            {t("action.cancel")}
          </Button>
        </p>
      )}
      <Attachments agent={agent} />
      <label class="unseen" for="draft">
        {t("chat.message_to", { name: agent.name })}
      </label>
      <textarea
        ref={field}
        id="draft"
        dir="auto"
        rows={Math.min(8, 1 + draft.value.split("\n").length)}
        maxLength={32_000}
        placeholder={placeholder(agent)}
        aria-describedby="draft-hint"
        value={draft.value}
        onInput={(event) => (draft.value = event.currentTarget.value)}
        onKeyDown={onKey}
        onPaste={onPaste}
      />
      <div class="composer-actions">
        <FileButton disabled={uploading.value > 0} onFiles={(files) => void attach(agent.id, files)}>
          {t("chat.attach")}
        </FileButton>
        {waiting.value ? (
          <Button onClick={onStop} label={t("chat.stop_waiting")}>
            {t("chat.stop")}
          </Button>
        ) : (
          <button type="submit" class="primary" disabled={!running || empty || uploading.value > 0}>
            {t("chat.send")}
          </button>
        )}
      </div>
      <p class="hint" id="draft-hint">
        {uploading.value > 0 ? tn("chat.uploading", uploading.value) : t("chat.hint")}
      </p>
    </form>
  );
}

function Attachments({ agent }: { agent: Agent }) {
  const { attached } = conversation(agent.id);
  if (attached.value.length === 0) return null;
  return (
    <ul class="attachments" aria-label={t("chat.attached")}>
      {attached.value.map((path) => (
        <li key={path}>
          <bdi>{path}</bdi>
          <Button class="small" label={t("chat.detach", { name: path })} onClick={() => detach(agent.id, path)}>
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
