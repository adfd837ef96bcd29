// What is said in each conversation with an agent. One that waits for its answer does not hold up another.
import { signal, type Signal } from "@preact/signals";
import { ApiError, call, sentence } from "./api/client";
import { events } from "./api/events";
import { changed } from "./api/live";
import { placeOf, type QueuePlace } from "./api/queue";
import type { ChatMessage } from "./api/types";
import { forget as forgetAgents } from "./agents";
import { t } from "./app/i18n";
import { forgetModels } from "./models";
import { ask, follow as followRoute, history as historyOf, type Question, stop as stopRoute, type Talk } from "./talk";
import { forgetFiles, upload } from "./workspace";

// A tool that the agent calls while it answers. `result` and `duration` (milliseconds) come when it has returned.
export interface Step {
  id: string;
  name: string;
  arguments: string;
  output?: string; // what a command has printed so far
  result?: string;
  failed?: boolean | undefined;
  duration?: number | undefined;
}

export interface Conversation {
  messages: Signal<ChatMessage[] | undefined>; // oldest first; undefined: not loaded yet
  hasEarlier: Signal<boolean>;
  draft: Signal<string>;
  editing: Signal<string>; // the earlier question whose place the draft takes; empty: none
  attached: Signal<string[]>; // files in the agent's workspace that the next question names
  uploading: Signal<number>; // files on their way there
  waiting: Signal<boolean>; // for the agent's answer to a question, which may be from before the page was loaded
  partial: Signal<string>; // what has arrived of the answer
  steps: Signal<Step[]>; // the agent's steps on its way to the answer
  queued: Signal<QueuePlace | undefined>; // while the answer waits in the queue before the model
  error: Signal<string>; // a sentence, or empty
  deleting: Signal<boolean>; // nothing is asked about it any more
  stop: AbortController | undefined; // of the answer that is being read
  asked: string; // id of the question that it answers
}

const page = 100;
const searchPage = 50;

export type { Talk } from "./talk";

const keyOf = ({ agentId, conversationId }: Talk) => `${agentId}/${conversationId}`;
const conversations = new Map<string, Conversation>();

export function conversation(talk: Talk): Conversation {
  let found = conversations.get(keyOf(talk));
  if (!found) {
    found = {
      messages: signal(undefined),
      hasEarlier: signal(false),
      draft: signal(""),
      editing: signal(""),
      attached: signal([]),
      uploading: signal(0),
      waiting: signal(false),
      partial: signal(""),
      steps: signal([]),
      queued: signal(undefined),
      error: signal(""),
      deleting: signal(false),
      stop: undefined,
      asked: "",
    };
    conversations.set(keyOf(talk), found);
  }
  return found;
}

// What was typed when the session ended elsewhere, for the same user's return.
let kept: { user: string; drafts: Map<string, string> } | undefined;

export function keepDrafts(user: string) {
  const drafts = [...conversations].map(([key, { draft }]) => [key, draft.peek()] as const).filter(([, text]) => text !== "");
  kept = { user, drafts: new Map(drafts) };
  forgetEverything();
}

// Gives the user the drafts back; another one never sees them.
export function restoreDrafts(user: string) {
  const drafts = kept?.user === user ? kept.drafts : new Map<string, string>();
  kept = undefined;
  for (const [key, text] of drafts) {
    const at = key.indexOf("/");
    const { draft } = conversation({ agentId: key.slice(0, at), conversationId: key.slice(at + 1) });
    if (draft.peek() === "") draft.value = text;
  }
}

export function forgetAll() {
  kept = undefined;
  forgetEverything();
}

function forgetEverything() {
  for (const { stop } of conversations.values()) stop?.abort();
  conversations.clear();
  setAside.clear();
  forgetFiles();
  forgetModels();
  forgetAgents();
}

// Messages with a text, newest matches first looked for; `next` leads to earlier ones.
export async function search(agentId: string, text: string, before?: string) {
  const found = await call("GET /api/chat", { query: { agentId, limit: searchPage, q: text, before } });
  return { messages: found.messages, next: found.next ?? undefined };
}

const history = (talk: Talk, before?: string) => historyOf(talk, page, before);

// The newest messages, with the earlier ones that were already loaded in front of them.
async function refresh(talk: Talk) {
  const { messages, hasEarlier } = conversation(talk);
  const found = await history(talk);
  const known = (messages.value ?? []).filter(({ id }) => id !== "sending");
  const overlap = found[0] ? known.findIndex(({ id }) => id === found[0]!.id) : -1;
  if (overlap <= 0) hasEarlier.value = found.length === page;
  messages.value = overlap > 0 ? [...known.slice(0, overlap), ...found] : found;
}

// The history as the box has it; while its last question is open, until that has its answer.
export async function load(talk: Talk) {
  const { messages, waiting, error, deleting } = conversation(talk);
  if (waiting.value || deleting.value) return;
  try {
    await refresh(talk);
    error.value = "";
    if (isOpen(messages.value)) await awaitAnswer(talk);
  } catch (cause) {
    error.value = sentence(cause);
  }
}

// `done` shows another conversation in its place. Until that is drawn, an event may say that this one has changed: what is
// deleted is not asked for again, unless a message is sent to it.
export async function remove(talk: Talk, done: () => Promise<void>) {
  const { deleting } = conversation(talk);
  deleting.value = true;
  try {
    await call("DELETE /api/agents/{id}/conversations/{conversation}", { path: { id: talk.agentId, conversation: talk.conversationId } });
  } catch (cause) {
    deleting.value = false;
    throw cause;
  }
  await done();
}

export async function loadEarlier(talk: Talk) {
  const { messages, hasEarlier, error } = conversation(talk);
  const first = messages.value?.[0];
  if (!first) return;
  try {
    const found = await history(talk, first.id);
    hasEarlier.value = found.length === page;
    messages.value = [...found, ...(messages.value ?? [])];
  } catch (cause) {
    error.value = sentence(cause);
  }
}

const isOpen = (messages: ChatMessage[] | undefined) => messages?.at(-1)?.delivery === "sent";

// Shows the answer to the open question from its beginning, and goes on with it, until it has ended.
async function awaitAnswer(talk: Talk) {
  const one = conversation(talk);
  const stop = (one.stop = new AbortController());
  one.waiting.value = true;
  try {
    while (isOpen(one.messages.value) && !stop.signal.aborted) {
      one.asked = one.messages.value!.at(-1)!.id;
      if (!(await follow(talk, one.asked, stop.signal))) await news(talk, stop.signal);
      if (!stop.signal.aborted) await refresh(talk);
    }
  } finally {
    one.waiting.value = false;
    forgetPartial(one);
  }
}

// The box reports changes of the user's own agents; shared ones are looked at again.
const nextLook = 3_000;

const news = ({ agentId, shared }: Talk, signal: AbortSignal) =>
  shared ? new Promise<void>((resolve) => setTimeout(resolve, nextLook)) : changed("message", agentId, signal);

function forgetPartial({ partial, steps, queued }: Conversation) {
  partial.value = "";
  steps.value = [];
  queued.value = undefined;
}

// Reads the box's stream of an answer that this page has not asked for, or not as it is now. Whether it came to its end.
async function follow(talk: Talk, messageId: string, signal: AbortSignal): Promise<boolean> {
  const one = conversation(talk);
  try {
    const response = await followRoute(talk, messageId, signal);
    forgetPartial(one);
    for await (const { event, data } of events(response.body!)) {
      if (event === "end") return true;
      take(one, event, data);
    }
  } catch {
    // The box is asked again when it says that there is something new, or is back.
  }
  return false;
}

// What the stream of an answer tells before its end.
function take({ partial, steps, queued }: Conversation, event: string, data: string) {
  if (event === "queued") queued.value = placeOf(data);
  if (event === "delta") partial.value += (JSON.parse(data) as { content?: string }).content ?? "";
  if (event === "tool_call" || event === "tool_output" || event === "tool_result")
    steps.value = withStep(steps.value, JSON.parse(data) as ToolEvent);
}

// Shows the branch that a question begins.
type Enter = (branch: Talk) => Promise<void>;
// Sends the draft with the attached files. When that fails the text comes back into the draft, so that nothing typed is
// lost.
export async function sendDraft(talk: Talk, enter?: Enter) {
  const { draft, editing, attached, waiting, uploading } = conversation(talk);
  const files = attached.value;
  const text = draft.value.trim() || (files.length > 0 ? t("chat.see_files") : "");
  if (text === "" || waiting.value || uploading.value > 0) return;
  const replaced = editing.value;
  if (replaced && enter) {
    if (!(await sayInstead(talk, replaced, { text, files }, enter))) return;
    attached.value = [];
    stopEditing(talk);
    return;
  }
  draft.value = "";
  attached.value = [];
  await say(talk, { text, files }, enter);
}

// Says something in the place of an earlier message, in a branch of the conversation. Whether there is one; the answer
// is still on its way.
async function sayInstead(talk: Talk, before: string, question: Question, enter: Enter): Promise<boolean> {
  const { error } = conversation(talk);
  try {
    const path = { id: talk.agentId, conversation: talk.conversationId };
    const made = await call("POST /api/agents/{id}/conversations/{conversation}/branch", { path, body: { before } });
    const branch = { agentId: talk.agentId, conversationId: made.conversation.id };
    await refresh(branch);
    void say(branch, question);
    await enter(branch);
    return true;
  } catch (cause) {
    error.value = sentence(cause);
    return false;
  }
}

// Asks the same again, in a branch.
export async function regenerate(talk: Talk, { id, content, files }: ChatMessage, enter: Enter) {
  if (!conversation(talk).waiting.value) await sayInstead(talk, id, { text: content, files: files ?? [] }, enter);
}

// Lets the agent go on with a turn that its guard has stopped.
export const goOn = (talk: Talk) => say(talk, { text: t("chat.go_on"), files: [], allow: true });

// Puts an earlier question into the draft, to be changed and sent again. What was typed there is given up only when the
// question is sent.
const setAside = new Map<string, string>();

export function edit(talk: Talk, message: ChatMessage) {
  const { draft, editing, attached } = conversation(talk);
  if (!editing.value) setAside.set(keyOf(talk), draft.value);
  draft.value = message.content;
  attached.value = [...new Set([...attached.value, ...(message.files ?? [])])];
  editing.value = message.id;
}

export function stopEditing(talk: Talk) {
  const { draft, editing } = conversation(talk);
  draft.value = setAside.get(keyOf(talk)) ?? "";
  editing.value = "";
}

// The folder of an agent's workspace for files that were given to it in the conversation.
const uploads = "uploads";

// Puts files into the agent's workspace; the next question names them.
export async function attach(talk: Talk, files: File[]) {
  const { attached, uploading, error } = conversation(talk);
  if (files.length === 0) return;
  error.value = "";
  uploading.value += files.length;
  try {
    const stored = await upload(talk.agentId, uploads, files);
    attached.value = [...new Set([...attached.value, ...stored])];
  } catch (cause) {
    error.value = sentence(cause);
  } finally {
    uploading.value -= files.length;
  }
}

export function detach(talk: Talk, path: string) {
  const { attached } = conversation(talk);
  attached.value = attached.value.filter((other) => other !== path);
}

// Stops the answers that the agent is working on. What has arrived of them stays.
export async function stopAnswer(talk: Talk) {
  const { error, asked } = conversation(talk);
  try {
    await stopRoute(talk, asked);
  } catch (cause) {
    error.value = sentence(cause);
  }
}

// Sends a question whose answer failed once more.
export async function retry(talk: Talk, message: ChatMessage) {
  const { draft } = conversation(talk);
  if (draft.value.trim() === message.content.trim()) draft.value = "";
  await say(talk, { text: message.content, files: message.files ?? [] });
}

// `enter` shows a conversation that begins with the question.
async function say(talk: Talk, question: Question, enter?: Enter) {
  const { text, files } = question;
  const one = conversation(talk);
  const begin = (conversationId: string) => {
    if (talk.conversationId) return;
    conversations.delete(keyOf(talk));
    talk = { ...talk, conversationId };
    conversations.set(keyOf(talk), one);
    void enter?.(talk);
  };
  const { messages, draft, waiting, error, deleting } = one;
  if (waiting.value) return;
  deleting.value = false;
  const before = messages.value ?? [];
  messages.value = [
    ...before,
    { id: "sending", role: "user", content: text, files, createdAt: new Date().toISOString(), conversationId: talk.conversationId },
  ];
  error.value = "";
  waiting.value = true;
  const stop = (one.stop = new AbortController());
  try {
    await stream(talk, question, stop.signal, begin);
    await refresh(talk);
  } catch (cause) {
    if (stop.signal.aborted) {
      await refresh(talk).catch(() => undefined);
      return;
    }
    error.value = sentence(cause);
    messages.value = before;
    // The box keeps a question that the agent could not answer, and goes on with an answer whose stream broke off.
    await refresh(talk).catch(() => undefined);
    const last = messages.value.findLast(({ role }) => role === "user");
    const asked = last !== undefined && !before.some(({ id }) => id === last.id) && last.content === text;
    if (!asked && draft.value === "") draft.value = text;
    if (asked && isOpen(messages.value)) {
      error.value = "";
      await awaitAnswer(talk).catch(() => undefined);
    }
    // The question stands there with its reason; once is enough.
    if (messages.value.at(-1)?.error === error.value) error.value = "";
  } finally {
    waiting.value = false;
    forgetPartial(one);
  }
}

async function stream(talk: Talk, question: Question, signal: AbortSignal, begin: (conversationId: string) => void) {
  const one = conversation(talk);
  const response = await ask(talk, question, signal);
  let ended = false;
  try {
    for await (const { event, data } of events(response.body!)) {
      take(one, event, data);
      if (event === "question") {
        const { id, conversationId } = JSON.parse(data) as { id: string; conversationId: string };
        one.asked = id;
        begin(conversationId);
      }
      if (event === "error") throw failure(JSON.parse(data) as { error?: string; status?: number; code?: string });
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
  output?: string;
  result?: string;
  failed?: boolean;
  durationMs?: number;
}

function withStep(steps: Step[], event: ToolEvent): Step[] {
  const { output } = event;
  const longest = 100_000; // characters that are shown
  if (output !== undefined)
    return steps.map((step) => (step.id === event.id ? { ...step, output: ((step.output ?? "") + output).slice(-longest) } : step));
  if (event.result === undefined) return [...steps, { id: event.id, name: event.name, arguments: event.arguments ?? "" }];
  const { id, result, failed, durationMs: duration } = event;
  return steps.map((step) => (step.id === id && step.result === undefined ? { ...step, result, failed, duration } : step));
}

function failure({ error = "", status = 500, code = "" }: { error?: string; status?: number; code?: string }): ApiError {
  const text = error && !/[.!?…]$/.test(error) ? `${error}.` : error || t("error.internal");
  return new ApiError(text[0]!.toUpperCase() + text.slice(1), status, code);
}

// The steps that are kept with an answer, as those of an answer on its way.
export const storedSteps = ({ steps }: ChatMessage): Step[] =>
  (steps ?? []).map(({ id, name, arguments: given, result, failed, durationMs }) => ({
    id,
    name,
    arguments: given,
    ...(typeof result === "string" && { result }),
    failed: failed ?? undefined,
    duration: durationMs ?? undefined,
  }));
