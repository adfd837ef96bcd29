// What was said with each agent. One conversation waiting for its answer does not hold up another.
import { signal, type Signal } from "@preact/signals";
import * as api from "./api";
import type { ChatMessage } from "./wire";

export interface Conversation {
  messages: Signal<ChatMessage[] | undefined>; // oldest first; undefined: not loaded yet
  draft: Signal<string>;
  waiting: Signal<boolean>; // for the agent's answer
  error: Signal<string>; // a sentence, or empty
}

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

export async function load(agentId: string) {
  const { messages, waiting, error } = conversation(agentId);
  if (waiting.value) return;
  try {
    const found = await api.history(agentId);
    if (!waiting.value) messages.value = inOrder(found);
    error.value = "";
  } catch (cause) {
    error.value = api.sentence(cause);
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
    messages.value = inOrder(await api.history(agentId));
  } catch (cause) {
    messages.value = before;
    if (draft.value === "") draft.value = text;
    error.value = api.sentence(cause);
  } finally {
    waiting.value = false;
  }
}

// By time; what was said in the same millisecond stays as the box sent it.
function inOrder(messages: ChatMessage[]): ChatMessage[] {
  return [...messages].sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}
