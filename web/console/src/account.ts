// Who is signed in, and what plan they have.
import { computed, signal } from "@preact/signals";
import { call, endSession } from "./api/client";
import { rememberSession } from "./api/early";
import * as requests from "./api/requests";
import type { Profile, Proof, Registration, SessionUser, Tier } from "./api/types";

// undefined: not known yet.
export const user = signal<SessionUser | null | undefined>(undefined);
export const settings = signal<Profile | null>(null);

// Whether the user may see pages of this access.
export const maySee = (access: "all" | "session" | "support" | "admin") => {
  const { isAdmin = false, isSupport = false } = user.value ?? {};
  return access === "admin" ? isAdmin : access === "support" ? isAdmin || isSupport : true;
};

// Without a plan nothing can be provisioned, except by an admin.
export const mayProvision = computed(() => settings.value !== null && (Boolean(settings.value.plan) || settings.value.isAdmin));

const order = ["label", "solo", "collective", "network"];
const tierPlans: [Tier, string][] = [
  ["starter", "solo"],
  ["pro", "collective"],
  ["enterprise", "network"],
];

// The tiers the plan covers, smallest first. None for the plan `label`, which is what provisioning without a tier means.
export const tiers = computed(() => {
  const held = settings.value;
  if (!held) return [];
  const rank = held.isAdmin ? order.length : order.indexOf(held.plan ?? "");
  return tierPlans.filter(([, plan]) => order.indexOf(plan) <= rank).map(([tier, plan]) => ({ tier, plan }));
});

// Requests for a plan that wait for this administrator; 0 for everybody else.
export const waitingRequests = signal(0);

export async function refreshRequests() {
  const { requests: waiting } = user.value?.isAdmin ? await call("GET /api/admin/plan-requests") : { requests: [] };
  waitingRequests.value = waiting.length;
  return waiting;
}

export async function refreshUser() {
  user.value = await requests.session();
  rememberSession(user.value !== null);
  if (!user.value) settings.value = null;
}

export async function refreshSettings() {
  settings.value = await call("GET /api/settings");
}

export async function signIn(email: string, password: string, proof: Proof = {}) {
  await requests.login(email, password, proof);
  await refreshUser();
}

export async function finishSignIn(proof: Proof) {
  await requests.finishSignIn(proof);
  await refreshUser();
}

export async function signUp(person: Registration) {
  await call("POST /api/register", { body: person });
  await signIn(person.email, person.password);
}

export async function signOut() {
  // What it shows is the user's, not the browser's.
  if (navigator.serviceWorker?.controller) await import("./push").then(({ unsubscribe }) => unsubscribe()).catch(() => undefined);
  await endSession(() => call("POST /api/auth/signout"));
  rememberSession(false);
  user.value = null;
  settings.value = null;
  waitingRequests.value = 0;
}
