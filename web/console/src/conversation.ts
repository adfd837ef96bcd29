// What was said with each agent. One conversation waiting for its answer does not hold up another.
import { signal, type Signal } from "@preact/signals";
import * as api from "./api";
import type { ChatMessage } from "./wire";

export interface Conversation {
  messages: Signal<ChatMessage[] | undefined>; // oldest first; undefined: not loaded yet
  draft: Signal<string>;
  waiting: Signal<boolean>; // for the agent's answer to a question, which may be from before the page was loaded
  error: Signal<string>; // a sentence, or empty
}

// Milliseconds between looks for the answer to a question that was asked before this page was loaded.
const nextLook = 1_500;

const conversations = new Map<string, Conversation>();

export function conversation(agentId: string): Conversation {
  let found = conversations.get(agentId);
  if (!found) {
    found = { messages: signal(undefined), draft: signal(""), waiting: signal(false), error: signal("") };
    conversations.set(agentId, found);
  }
  return found;
}

export function forgetAll() {
  conversations.clear();
}

// The history as the box has it; while its last question is open, until that has its answer.
export async function load(agentId: string) {
  const { messages, waiting, error } = conversation(agentId);
  if (waiting.value) return;
  try {
    const found = await api.history(agentId);
    if (waiting.value) return; // a question that was asked meanwhile brings its own
    messages.value = found;
    error.value = "";
    if (isOpen(found)) await awaitAnswer(agentId);
  } catch (cause) {
    error.value = api.sentence(cause);
  }
}

const isOpen = (messages: ChatMessage[]) => messages.at(-1)?.delivery === "sent";

async function awaitAnswer(agentId: string) {
  const { messages, waiting } = conversation(agentId);
  waiting.value = true;
  try {
    while (isOpen(messages.value ?? []) && conversations.has(agentId)) {
      await new Promise((resolve) => setTimeout(resolve, nextLook));
      messages.value = await api.history(agentId);
    }
  } finally {
    waiting.value = false;
  }
}

// Sends the draft. When that fails the text comes back into the draft, so that nothing typed is lost.
export async function sendDraft(agentId: string) {
  const { messages, draft, waiting, error } = conversation(agentId);
  const text = draft.value.trim();
  if (text === "" || waiting.value) return;

  const before = messages.value ?? [];
  messages.value = [...before, { id: "sending", role: "user", content: text, createdAt: new Date().toISOString() }];
  draft.value = "";
  error.value = "";
  waiting.value = true;
  try {
    await api.say(agentId, text);
    messages.value = await api.history(agentId);
  } catch (cause) {
    if (draft.value === "") draft.value = text;
    error.value = api.sentence(cause);
    messages.value = (await historyAfter(cause, agentId)) ?? before;
    // The question stands there with its reason; once is enough.
    if (messages.value.at(-1)?.error === error.value) error.value = "";
  } finally {
    waiting.value = false;
  }
}

// The box keeps a question that the agent could not answer. Undefined when the box cannot be asked.
async function historyAfter(cause: unknown, agentId: string): Promise<ChatMessage[] | undefined> {
  if (!(cause instanceof api.ApiError) || cause.status === 0) return undefined;
  return api.history(agentId).catch(() => undefined);
}
