// What was said with each agent. One conversation waiting for its answer does not hold up another.
import { signal, type Signal } from "@preact/signals";
import { ApiError, call, patience, send, sentence } from "./api/client";
import { events } from "./api/events";
import { changed } from "./api/live";
import type { ChatMessage } from "./api/types";
import { forget as forgetAgents } from "./agents";
import { t } from "./app/i18n";
import { forgetFiles, upload } from "./workspace";

// A tool that the agent calls while it answers. `result` and `duration` (milliseconds) come when it has returned.
export interface Step {
  id: string;
  name: string;
  arguments: string;
  result?: string;
  failed?: boolean | undefined;
  duration?: number | undefined;
}

export interface Conversation {
  messages: Signal<ChatMessage[] | undefined>; // oldest first; undefined: not loaded yet
  hasEarlier: Signal<boolean>;
  draft: Signal<string>;
  editing: Signal<boolean>; // the draft is an earlier question that is to be sent again
  attached: Signal<string[]>; // files in the agent's workspace that the next question names
  uploading: Signal<number>; // files on their way there
  waiting: Signal<boolean>; // for the agent's answer to a question, which may be from before the page was loaded
  partial: Signal<string>; // what has arrived of the answer
  steps: Signal<Step[]>; // the agent's steps on its way to the answer
  error: Signal<string>; // a sentence, or empty
  stop: AbortController | undefined; // of the answer that is being read
}

const page = 100;
const searchPage = 50;

const conversations = new Map<string, Conversation>();

export function conversation(agentId: string): Conversation {
  let found = conversations.get(agentId);
  if (!found) {
    found = {
      messages: signal(undefined),
      hasEarlier: signal(false),
      draft: signal(""),
      editing: signal(false),
      attached: signal([]),
      uploading: signal(0),
      waiting: signal(false),
      partial: signal(""),
      steps: signal([]),
      error: signal(""),
      stop: undefined,
    };
    conversations.set(agentId, found);
  }
  return found;
}

export function forgetAll() {
  for (const { stop } of conversations.values()) stop?.abort();
  conversations.clear();
  setAside.clear();
  forgetFiles();
  forgetAgents();
}

// Messages with a text, newest matches first looked for; `next` leads to earlier ones.
export async function search(agentId: string, text: string, before?: string) {
  const found = await call("GET /api/chat", { query: { agentId, limit: searchPage, q: text, before } });
  return { messages: found.messages, next: found.next ?? undefined };
}

const history = async (agentId: string, before?: string) =>
  (await call("GET /api/chat", { query: { agentId, limit: page, before } })).messages;

// The newest messages, with the earlier ones that were already loaded in front of them.
async function refresh(agentId: string) {
  const { messages, hasEarlier } = conversation(agentId);
  const found = await history(agentId);
  const known = (messages.value ?? []).filter(({ id }) => id !== "sending");
  const overlap = found[0] ? known.findIndex(({ id }) => id === found[0]!.id) : -1;
  if (overlap <= 0) hasEarlier.value = found.length === page;
  messages.value = overlap > 0 ? [...known.slice(0, overlap), ...found] : found;
}

// The history as the box has it; while its last question is open, until that has its answer.
export async function load(agentId: string) {
  const { messages, waiting, error } = conversation(agentId);
  if (waiting.value) return;
  try {
    await refresh(agentId);
    error.value = "";
    if (isOpen(messages.value)) await awaitAnswer(agentId);
  } catch (cause) {
    error.value = sentence(cause);
  }
}

export async function loadEarlier(agentId: string) {
  const { messages, hasEarlier, error } = conversation(agentId);
  const first = messages.value?.[0];
  if (!first) return;
  try {
    const found = await history(agentId, first.id);
    hasEarlier.value = found.length === page;
    messages.value = [...found, ...(messages.value ?? [])];
  } catch (cause) {
    error.value = sentence(cause);
  }
}

const isOpen = (messages: ChatMessage[] | undefined) => messages?.at(-1)?.delivery === "sent";

async function awaitAnswer(agentId: string) {
  const one = conversation(agentId);
  const stop = (one.stop = new AbortController());
  one.waiting.value = true;
  try {
    while (isOpen(one.messages.value) && !stop.signal.aborted) {
      await changed("message", agentId, stop.signal);
      if (!stop.signal.aborted) await refresh(agentId);
    }
  } finally {
    one.waiting.value = false;
  }
}

// Sends the draft, and names the attached files in it. When that fails the text comes back into the draft, so that
// nothing typed is lost.
export async function sendDraft(agentId: string) {
  const { draft, editing, attached, waiting, uploading } = conversation(agentId);
  const files = attached.value.length ? t("chat.files", { files: attached.value.join(", ") }) : "";
  const text = [draft.value.trim(), files].filter(Boolean).join("\n\n");
  if (text === "" || waiting.value || uploading.value > 0) return;
  draft.value = "";
  editing.value = false;
  attached.value = [];
  await say(agentId, text);
}

// Puts an earlier question into the draft, to be changed and sent again. What was typed there is given up only when the
// question is sent.
const setAside = new Map<string, string>();

export function edit(agentId: string, message: ChatMessage) {
  const { draft, editing } = conversation(agentId);
  if (!editing.value) setAside.set(agentId, draft.value);
  draft.value = message.content;
  editing.value = true;
}

export function stopEditing(agentId: string) {
  const { draft, editing } = conversation(agentId);
  draft.value = setAside.get(agentId) ?? "";
  editing.value = false;
}

// The folder of an agent's workspace for files that were given to it in the conversation.
const uploads = "uploads";

// Puts files into the agent's workspace; the next question names them.
export async function attach(agentId: string, files: File[]) {
  const { attached, uploading, error } = conversation(agentId);
  if (files.length === 0) return;
  error.value = "";
  uploading.value += files.length;
  try {
    const stored = await upload(agentId, uploads, files);
    attached.value = [...new Set([...attached.value, ...stored])];
  } catch (cause) {
    error.value = sentence(cause);
  } finally {
    uploading.value -= files.length;
  }
}

export function detach(agentId: string, path: string) {
  const { attached } = conversation(agentId);
  attached.value = attached.value.filter((other) => other !== path);
}

// Stops the answers that the agent is working on. What has arrived of them stays.
export async function stopAnswer(agentId: string) {
  const { error } = conversation(agentId);
  try {
    await call("POST /api/chat/stop", { body: { agentId } });
  } catch (cause) {
    error.value = sentence(cause);
  }
}

// Sends a question whose answer failed once more.
export async function retry(agentId: string, message: ChatMessage) {
  const { draft } = conversation(agentId);
  if (draft.value.trim() === message.content.trim()) draft.value = "";
  await say(agentId, message.content);
}

async function say(agentId: string, text: string) {
  const one = conversation(agentId);
  const { messages, draft, waiting, partial, steps, error } = one;
  if (waiting.value) return;
  const before = messages.value ?? [];
  messages.value = [...before, { id: "sending", role: "user", content: text, createdAt: new Date().toISOString() }];
  error.value = "";
  waiting.value = true;
  const stop = (one.stop = new AbortController());
  try {
    await stream(agentId, text, stop.signal);
    await refresh(agentId);
  } catch (cause) {
    if (stop.signal.aborted) {
      await refresh(agentId).catch(() => undefined);
      return;
    }
    if (draft.value === "") draft.value = text;
    error.value = sentence(cause);
    // The box keeps a question that the agent could not answer.
    const asked = cause instanceof ApiError && cause.status !== 0;
    messages.value = before;
    if (asked) await refresh(agentId).catch(() => undefined);
    // The question stands there with its reason; once is enough.
    if (messages.value.at(-1)?.error === error.value) error.value = "";
  } finally {
    waiting.value = false;
    partial.value = "";
    steps.value = [];
  }
}

async function stream(agentId: string, message: string, signal: AbortSignal) {
  const { partial, steps } = conversation(agentId);
  const response = await send("POST /api/chat", {
    body: { agentId, message, stream: true },
    timeout: 60 * patience,
    signal,
  });
  let ended = false;
  try {
    for await (const { event, data } of events(response.body!)) {
      if (event === "tool_call" || event === "tool_result") {
        steps.value = withStep(steps.value, JSON.parse(data) as ToolEvent);
        continue;
      }
      const content = JSON.parse(data) as { content?: string; error?: string; status?: number; code?: string };
      if (event === "delta") partial.value += content.content ?? "";
      if (event === "error") throw failure(content);
      if (event === "done") ended = true;
    }
  } catch (cause) {
    if (cause instanceof ApiError || signal.aborted) throw cause;
  }
  if (!ended) throw new ApiError(t("error.unreachable"), 0);
}

interface ToolEvent {
  id: string;
  name: string;
  arguments?: string;
  result?: string;
  failed?: boolean;
  durationMs?: number;
}

function withStep(steps: Step[], event: ToolEvent): Step[] {
  if (event.result === undefined) return [...steps, { id: event.id, name: event.name, arguments: event.arguments ?? "" }];
  const { id, result, failed, durationMs: duration } = event;
  return steps.map((step) => (step.id === id && step.result === undefined ? { ...step, result, failed, duration } : step));
}

function failure({ error = "", status = 500, code = "" }: { error?: string; status?: number; code?: string }): ApiError {
  const text = error && !/[.!?…]$/.test(error) ? `${error}.` : error || t("error.internal");
  return new ApiError(text[0]!.toUpperCase() + text.slice(1), status, code);
}
