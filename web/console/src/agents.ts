// The caller's agents, kept up to date while a page that shows them is on screen.
import { signal } from "@preact/signals";
import * as account from "./account";
import { ApiError, call, patience, sentence } from "./api/client";
import type { Agent, NewAgent } from "./api/types";
import { t } from "./app/i18n";

// undefined: not loaded yet.
export const agents = signal<Agent[] | undefined>(undefined);
// A sentence while the box does not answer, else empty.
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

// Milliseconds between looks. Quick while something is changing, then ever slower, up to the longest.
const quick = 1_000;
const calm = 4_000;
const longest = 20_000;
const longestInTrouble = 5_000; // the user may be waiting for the box to come back

let pause = quick;
let timer: ReturnType<typeof setTimeout> | undefined;
// The newest look. One that began before it is given up: its answer may show what is no longer so.
let looking: AbortController | undefined;
let watchers = 0;

// Looks at once and then again and again, until the returned function is called. Rests while the page is hidden.
export function watch(): () => void {
  if (++watchers === 1) document.addEventListener("visibilitychange", look);
  pause = quick;
  void look();
  return () => {
    if (--watchers > 0) return;
    clearTimeout(timer);
    looking?.abort();
    document.removeEventListener("visibilitychange", look);
    trouble.value = "";
  };
}

// After a sign-out: the next user at this browser sees nothing of the last one's.
export function forget() {
  agents.value = undefined;
}

// Looks now, and quickly for a while: called after everything the person does.
export function lookSoon() {
  pause = quick;
  void look();
}

async function look() {
  clearTimeout(timer);
  looking?.abort();
  if (document.hidden) return;
  const { signal: overtaken } = (looking = new AbortController());
  let wait = 0;
  try {
    const before = JSON.stringify(agents.value);
    const found = (await call("GET /api/agents", { signal: overtaken })).agents;
    if (!overtaken.aborted && !account.settings.value?.plan) await account.refreshSettings();
    if (overtaken.aborted) return;
    const changed = JSON.stringify(found) !== before;
    if (changed) agents.value = found;
    trouble.value = "";
    const floor = found.some(isSettling) ? quick : calm;
    pause = changed ? floor : Math.min(Math.max(pause * 1.3, floor), found.some(isSettling) ? calm : longest);
  } catch (error) {
    if (overtaken.aborted) return;
    if (error instanceof ApiError && error.status === 401) {
      account.user.value = null;
      return;
    }
    trouble.value = t("error.trying_again", { error: sentence(error) });
    pause = Math.min(pause * 2, longestInTrouble);
    if (error instanceof ApiError) wait = error.retryAfter * 1_000;
  }
  timer = setTimeout(() => void look(), Math.max(pause, wait));
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
