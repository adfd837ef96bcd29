// Branches of a conversation: the versions of a message, each in a conversation of its own. A branch copies the messages
// before the one that it replaces.
import { call } from "./api/client";
import type { ChatMessage, ConversationItem } from "./api/types";

// A copy has the id of its original but for the 8 random characters at the end, so that this is the same of both. Later
// messages have greater ones.
export const placeOf = ({ id }: ChatMessage) => id.slice(0, -8);

const isQuestion = ({ role, id }: ChatMessage) => role === "user" && id !== "sending";
export const questionsOf = (messages: ChatMessage[]) => messages.filter(isQuestion).map(placeOf);

// Walks to the conversation that all branches come from, as far as they are there.
function rootOf(known: Map<string, ConversationItem>, one: ConversationItem): string {
  let root = one;
  for (let next = known.get(one.branchOf ?? ""); next && next !== one; next = known.get(next.branchOf ?? "")) root = next;
  return root.id;
}
const byId = (list: ConversationItem[]) => new Map(list.map((one) => [one.id, one]));

// The other conversations of the same family.
export function familyOf(list: ConversationItem[], shown: string): string[] {
  const known = byId(list);
  const one = known.get(shown);
  if (!one) return [];
  const root = rootOf(known, one);
  return list.filter((other) => other.id !== shown && rootOf(known, other) === root).map(({ id }) => id);
}

// One of each family: the one that is shown, or the newest.
export function withoutBranches(list: ConversationItem[], shown: string): ConversationItem[] {
  const known = byId(list);
  const kept = new Map<string, ConversationItem>();
  for (const one of list) {
    const root = rootOf(known, one);
    const before = kept.get(root);
    if (!before || one.id === shown || (before.id !== shown && one.lastMessageAt > before.lastMessageAt)) kept.set(root, one);
  }
  return list.filter((one) => kept.get(rootOf(known, one)) === one);
}

const most = 200; // of the newest messages

// The questions of conversations, oldest first.
export async function loadQuestions(agentId: string, ids: string[]): Promise<Map<string, string[]>> {
  const found = await Promise.all(
    ids.map(async (conversationId) => {
      const { messages } = await call("GET /api/chat", { query: { agentId, conversationId, limit: most } });
      return [conversationId, questionsOf(messages)] as const;
    }),
  );
  return new Map(found);
}

// The conversations with the versions of the shown one's question number `at`, oldest first, itself among them.
export function versionsOf(others: Map<string, string[]>, shown: string, questions: string[], at: number): string[] {
  const before = questions[at - 1];
  const versions = new Map([[questions[at]!, shown]]);
  for (const [id, theirs] of others) {
    const place = before === undefined ? 0 : theirs.indexOf(before) + 1;
    const version = before !== undefined && place === 0 ? undefined : theirs[place];
    if (version && !versions.has(version)) versions.set(version, id);
  }
  return [...versions].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id);
}
