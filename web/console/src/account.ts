// Who is signed in, and what plan they have.
import { computed, signal } from "@preact/signals";
import * as api from "./api";
import type { Proof, Registration, SessionUser, Settings, Tier } from "./wire";

// undefined: not known yet.
export const user = signal<SessionUser | null | undefined>(undefined);
export const settings = signal<Settings | null>(null);

// Without a plan nothing can be provisioned, except by an admin.
export const mayProvision = computed(
  () => settings.value !== null && (settings.value.plan !== null || settings.value.isAdmin),
);

const order = ["label", "solo", "collective", "network"];
const tierPlans: [Tier, string, string][] = [
  ["starter", "solo", "Starter"],
  ["pro", "collective", "Pro"],
  ["enterprise", "network", "Enterprise"],
];

// The tiers the plan covers, smallest first. None for the plan `label`, which is what provisioning without a tier means.
export const tiers = computed(() => {
  const held = settings.value;
  if (!held) return [];
  const rank = held.isAdmin ? order.length : order.indexOf(held.plan ?? "");
  return tierPlans
    .filter(([, plan]) => order.indexOf(plan) <= rank)
    .map(([tier, plan, title]) => ({ tier, title: `${title} (plan ${plan})` }));
});

export async function refreshUser() {
  user.value = await api.session();
  if (!user.value) settings.value = null;
}

export async function refreshSettings() {
  settings.value = await api.settings();
}

export async function signIn(email: string, password: string, proof: Proof = {}) {
  await api.login(email, password, proof);
  await refreshUser();
}

export async function finishSignIn(proof: Proof) {
  await api.finishSignIn(proof);
  await refreshUser();
}

export async function signUp(person: Registration) {
  await api.register(person);
  await signIn(person.email, person.password);
}

export async function signOut() {
  await api.signOut();
  await refreshUser();
}
