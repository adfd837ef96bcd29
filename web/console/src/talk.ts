// The box's routes for a conversation with an agent: of the user's own, or of another's who shares it.
import { call, patience, send } from "./api/client";
import type { ChatMessage } from "./api/types";

// Names a conversation. One with a shared agent that has not begun has no id yet.
export interface Talk {
  agentId: string;
  conversationId: string;
  shared?: boolean; // the agent is another user's
}

export interface Question {
  text: string;
  files: string[]; // of the workspace
  allow?: boolean; // what the agent's guard would stop
}

// An answer may take this long.
const timeout = 60 * patience;

// The newest messages, or those before one; oldest first.
export async function history({ agentId, conversationId, shared }: Talk, limit: number, before?: string): Promise<ChatMessage[]> {
  if (!shared) return (await call("GET /api/chat", { query: { agentId, conversationId, limit, before } })).messages;
  if (!conversationId) return [];
  const path = { id: agentId };
  return (await call("GET /api/shared/{id}/messages", { path, query: { conversationId, limit, before } })).messages;
}

// The stream of the answer, which goes on when nobody reads it.
export function ask({ agentId, conversationId, shared }: Talk, { text, files, allow }: Question, signal: AbortSignal) {
  const body = { message: text, stream: true, keep: true, ...(conversationId && { conversationId }) };
  if (shared) return send("POST /api/shared/{id}/chat", { path: { id: agentId }, body, timeout, signal });
  const more = { ...(files.length > 0 && { files }), ...(allow && { allow }) };
  return send("POST /api/chat", { body: { ...body, agentId, ...more }, timeout, signal });
}

// The stream of an answer that is on its way, from its beginning.
export function follow({ agentId, conversationId, shared }: Talk, messageId: string, signal: AbortSignal) {
  if (!shared) return send("GET /api/chat/stream", { query: { agentId, messageId }, timeout, signal });
  const path = { id: agentId };
  return send("GET /api/shared/{id}/chat/stream", { path, query: { conversationId, messageId }, timeout, signal });
}

// The owner stops all that the agent works on, another user the answer to this question.
export async function stop({ agentId, conversationId, shared }: Talk, messageId: string): Promise<void> {
  if (!shared) await call("POST /api/chat/stop", { body: { agentId } });
  else if (messageId) await call("POST /api/shared/{id}/chat/stop", { path: { id: agentId }, body: { conversationId, messageId } });
}
