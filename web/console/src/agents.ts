// The caller's agents, kept up to date while a page that shows them is on screen.
import { signal } from "@preact/signals";
import * as account from "./account";
import { ApiError, call, patience, sentence } from "./api/client";
import { listen } from "./api/live";
import type { Agent, NewAgent } from "./api/types";
import { t } from "./app/i18n";

// undefined: not loaded yet.
export const agents = signal<Agent[] | undefined>(undefined);
// Ids of those that run and do not answer, as far as the box has said.
export const silent = signal<ReadonlySet<string>>(new Set());
// A sentence while the box refuses to list them, else empty.
export const trouble = signal("");

type Status = Pick<Agent, "status">;
const transitional: Agent["status"][] = ["pending", "provisioning", "stopping", "deleting"];
export const isSettling = (agent: Status) => transitional.includes(agent.status);
export const isRunning = (agent: Status) => agent.status === "running";

// The name of an agent by its id; empty if the caller has no such agent.
export const nameOf = (id: string) => agents.value?.find((agent) => agent.id === id)?.name ?? "";

export async function refresh() {
  agents.value = (await call("GET /api/agents")).agents;
}

// The watchdog sees the agent in this state.
export function noteHealth(id: string, state: string | undefined) {
  const isSilent = state === "degraded";
  if (silent.peek().has(id) === isSilent) return;
  const found = new Set(silent.peek());
  if (isSilent) found.add(id);
  else found.delete(id);
  silent.value = found;
}

// Milliseconds before a look that failed is repeated, doubled each time, and at most.
const first = 500;
const longest = 5_000; // the user may be waiting for the box to come back

let pause = first;
let timer: ReturnType<typeof setTimeout> | undefined;
// The newest look. One that began before it is given up: its answer may show what is no longer so.
let looking: AbortController | undefined;
let watchers = 0;
let stopListening = () => {};

// Looks at once and whenever the box says that an agent has changed, until the returned function is called.
export function watch(): () => void {
  if (++watchers === 1)
    stopListening = listen((event) => {
      if (event?.name === "health") noteHealth(event.id, event.state);
      if (!event || event.name === "agent" || event.name === "plan") lookSoon();
    });
  pause = first;
  void look();
  return () => {
    if (--watchers > 0) return;
    stopListening();
    clearTimeout(timer);
    looking?.abort();
    trouble.value = "";
  };
}

// After a sign-out: the next user at this browser sees nothing of the last one's.
export function forget() {
  agents.value = undefined;
  silent.value = new Set();
}

// Milliseconds for which events are collected, so that several are answered by one look.
const together = 50;

export function lookSoon() {
  if (watchers === 0) return;
  clearTimeout(timer);
  timer = setTimeout(() => void look(), together);
}

async function look() {
  clearTimeout(timer);
  looking?.abort();
  const { signal: overtaken } = (looking = new AbortController());
  try {
    const found = (await call("GET /api/agents", { signal: overtaken })).agents;
    if (!overtaken.aborted && !account.settings.value?.plan) await account.refreshSettings();
    if (overtaken.aborted) return;
    if (JSON.stringify(found) !== JSON.stringify(agents.value)) agents.value = found;
    trouble.value = "";
    pause = first;
  } catch (error) {
    if (overtaken.aborted) return;
    if (error instanceof ApiError && error.status === 401) {
      account.user.value = null;
      return;
    }
    // Of a box that does not answer, the stream of events says so (api/live.ts).
    const answered = error instanceof ApiError && error.status !== 0;
    trouble.value = answered ? t("error.trying_again", { error: sentence(error) }) : "";
    const wait = answered ? error.retryAfter * 1_000 : 0;
    timer = setTimeout(() => void look(), Math.max(pause, wait));
    pause = Math.min(pause * 2, longest);
  }
}

export async function provision(wanted: NewAgent): Promise<Agent> {
  const { agent } = await call("POST /api/agents/provision", { body: wanted });
  lookSoon();
  return agent as Agent;
}

export type Action = "start" | "stop" | "restart" | "repair" | "update" | "reset-memory";

export async function lifecycle(agent: Agent, action: Action) {
  try {
    await call(`POST /api/instance/{userId}/${action}`, { path: { userId: agent.id }, body: {}, timeout: 6 * patience });
  } finally {
    lookSoon();
  }
}

export async function rotateToken(agent: Agent): Promise<string> {
  try {
    return (await call("POST /api/agents/{id}/rotate-token", { path: { id: agent.id } })).token;
  } finally {
    lookSoon();
  }
}

export async function remove(agent: Agent) {
  await call("DELETE /api/agents/{id}", { path: { id: agent.id }, timeout: 3 * patience });
  agents.value = agents.value?.filter((other) => other.id !== agent.id);
  lookSoon();
}
