import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isRunning, isSettling } from "../agents";
import type { Agent, ConversationItem } from "../api/types";
import { money } from "../app/format";
import { t, tn } from "../app/i18n";
import { shortcutsOpen } from "../app/shortcuts";
import { Button } from "../components/button";
import { FileButton } from "../components/file_button";
import { Icon } from "../components/icon";
import { attach, conversation, detach, edit, stopEditing, type Talk } from "../conversation";
import { known, loadModels, spendingOf } from "../models";
import { isImage, rawUrl } from "../workspace";
import { AgentModelCost } from "./model_cost";
import { listId, type SlashCommand, SlashList, useSlashCommands } from "./slash_commands";
import { TalkModelButton, TalkModelDialog } from "./talk_model";
import { canListen, VoiceNote } from "./voice_note";

interface Props {
  agent: Agent;
  talk: Talk;
  item: ConversationItem | undefined; // the conversation; undefined until the box has it in its list
  field: RefObject<HTMLTextAreaElement | null>;
  commands: SlashCommand[]; // of the conversation
  reload: () => Promise<void>;
  onSend: () => void;
  onStop: () => void;
}

// The next question: its text, and files for the agent's workspace.
export function Composer({ agent, talk, item, field, commands, reload, onSend, onStop }: Props) {
  const { draft, editing, attached, uploading, waiting, messages, error } = conversation(talk);
  const choosing = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const running = isRunning(agent);
  useEffect(() => void loadModels(), []);
  const slash = useSlashCommands(
    [
      ...commands,
      { name: "attach", does: t("slash.attach"), run: () => box.current!.querySelector<HTMLInputElement>("input[type=file]")!.click() },
      { name: "model", does: t("slash.model"), run: () => (choosing.value = true) },
      ...(waiting.value ? [{ name: "stop", does: t("slash.stop"), run: onStop }] : []),
      { name: "keys", does: t("slash.keys"), run: () => (shortcutsOpen.value = true) },
    ],
    draft,
  );
  const empty = draft.value.trim() === "" && attached.value.length === 0;
  const onKey = (event: KeyboardEvent) => {
    if (slash.onKey(event)) return;
    if (event.key === "Escape" && editing.value) stopEditing(talk);
    if (event.key === "ArrowUp" && draft.value === "" && !editing.value) {
      const last = messages.value?.findLast(({ role, id }) => role === "user" && id !== "sending");
      if (last) edit(talk, last);
      event.preventDefault();
    }
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
      <div ref={box} class="composer-box">
        {slash.fit && <SlashList fit={slash.fit} chosen={slash.chosen} run={slash.run} />}
        <Attachments agent={agent} talk={talk} />
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
          aria-autocomplete="list"
          aria-controls={slash.fit ? listId : undefined}
          aria-activedescendant={slash.fit ? `${listId}-${slash.chosen}` : undefined}
          value={draft.value}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
        />
        <div class="composer-actions">
          <FileButton icon disabled={uploading.value > 0} onFiles={(files) => void attach(talk, files)}>
            {t("chat.attach")}
          </FileButton>
          {known.value?.transcription && canListen() && (
            <VoiceNote
              onText={(text) => {
                draft.value = draft.value.trim() ? `${draft.value.trimEnd()} ${text}` : text;
                field.current?.focus();
              }}
              onError={(sentence) => (error.value = sentence)}
            />
          )}
          <span class="quiet composer-model">
            <TalkModelButton agent={agent} item={item} onOpen={() => (choosing.value = true)} />
            <AgentModelCost agent={agent} />
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
      <Spending agent={agent} talk={talk} item={item} />
      {choosing.value && <TalkModelDialog agent={agent} talk={talk} item={item} reload={reload} onClose={() => (choosing.value = false)} />}
    </form>
  );
}

// What the conversation has cost, and what the next answer will about cost.
function Spending({ agent, talk, item }: { agent: Agent; talk: Talk; item: ConversationItem | undefined }) {
  const { messages, draft, hasEarlier } = conversation(talk);
  const { soFar, next } = spendingOf(messages.value ?? [], draft.value, item?.model ?? (agent.model === "auto" ? "" : agent.model));
  if (soFar === undefined && next === undefined) return null;
  if (!soFar && !next) return <p class="spending">{t("chat.cost_none")}</p>;
  return (
    <p class="spending" title={t("chat.cost_hint")}>
      {soFar !== undefined && t(hasEarlier.value ? "chat.cost_at_least" : "chat.cost", { cost: dollars(soFar) })}
      {soFar !== undefined && next !== undefined && " · "}
      {next !== undefined && t("chat.cost_next", { cost: dollars(next) })}
    </p>
  );
}

const dollars = (amount: number) => money(amount.toFixed(9));

function Attachments({ agent, talk }: { agent: Agent; talk: Talk }) {
  const { attached } = conversation(talk);
  if (attached.value.length === 0) return null;
  return (
    <ul class="attachments" aria-label={t("chat.attached")}>
      {attached.value.map((path) => (
        <li key={path}>
          {isImage(path) && <img src={rawUrl(agent, path)} alt="" />}
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
