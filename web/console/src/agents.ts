// The caller's agents, kept up to date while the dashboard is on screen.
import { computed, signal } from "@preact/signals";
import * as account from "./account";
import * as api from "./api";
import { location } from "./router";
import type { Agent, NewAgent } from "./wire";

// undefined: not loaded yet.
export const agents = signal<Agent[] | undefined>(undefined);
// A sentence while the box does not answer, else empty.
export const trouble = signal("");

export const selected = computed(() => {
  const id = location.value.searchParams.get("agent");
  return agents.value?.find((agent) => agent.id === id) ?? agents.value?.[0];
});

const transitional = new Set(["pending", "provisioning", "starting", "stopping", "restarting", "repairing"]);
export const isSettling = (agent: Agent) => transitional.has(agent.status);
export const isRunning = (agent: Agent) => agent.status === "running" || agent.status === "active";

// Milliseconds between looks. Quick while something is changing, then ever slower, up to the longest.
const quick = 1_000;
const calm = 4_000;
const longest = 20_000;
const longestInTrouble = 5_000; // the user may be waiting for the box to come back

let pause = quick;
let timer: ReturnType<typeof setTimeout> | undefined;
let watching = false;

// Looks at once and then again and again, until the returned function is called. Rests while the page is hidden.
export function watch(): () => void {
  watching = true;
  document.addEventListener("visibilitychange", look);
  void look();
  return () => {
    watching = false;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    agents.value = undefined;
    trouble.value = "";
  };
}

// Looks now, and quickly for a while: called after everything the person does.
function lookSoon() {
  pause = quick;
  void look();
}

async function look() {
  clearTimeout(timer);
  if (document.hidden) return;
  let wait = 0;
  try {
    const before = JSON.stringify(agents.value);
    const found = await api.agents();
    if (!watching) return;
    if (!account.settings.value?.plan) await account.refreshSettings();
    const changed = JSON.stringify(found) !== before;
    if (changed) agents.value = found;
    trouble.value = "";
    const floor = found.some(isSettling) ? quick : calm;
    pause = changed ? floor : Math.min(Math.max(pause * 1.3, floor), found.some(isSettling) ? calm : longest);
  } catch (error) {
    if (!watching) return;
    if (error instanceof api.ApiError && error.status === 401) {
      account.user.value = null;
      return;
    }
    trouble.value = `${api.sentence(error)} Trying again.`;
    pause = Math.min(pause * 2, longestInTrouble);
    if (error instanceof api.ApiError) wait = error.retryAfter * 1_000;
  }
  clearTimeout(timer);
  timer = setTimeout(() => void look(), Math.max(pause, wait));
}

export async function provision(wanted: NewAgent): Promise<Agent> {
  const agent = await api.provision(wanted);
  lookSoon();
  return agent;
}

export async function lifecycle(agent: Agent, action: "start" | "stop" | "restart") {
  try {
    await api.lifecycle(agent.id, action);
  } finally {
    lookSoon();
  }
}

export async function rotateToken(agent: Agent): Promise<string> {
  try {
    return await api.rotateToken(agent.id);
  } finally {
    lookSoon();
  }
}

export async function remove(agent: Agent) {
  await api.remove(agent.id);
  agents.value = agents.value?.filter((other) => other.id !== agent.id);
  lookSoon();
}
