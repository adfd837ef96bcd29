// The second factor of the person at the settings page, as the box last said.
import { signal } from "@preact/signals";
import * as api from "./api";
import type { Passkey, SecondFactor } from "./wire";

export const state = signal<SecondFactor | undefined>(undefined);
export const passkeys = signal<Passkey[]>([]);
// Codes that were just made and are still to be kept.
export const freshCodes = signal<string[]>([]);

export async function refresh() {
  [state.value, passkeys.value] = await Promise.all([api.secondFactor(), api.passkeys()]);
}

// Runs a change, shows the recovery codes it may bring, and looks anew.
export async function change(action: () => Promise<{ recoveryCodes: string[] } | unknown>) {
  const answer = await action();
  const codes = (answer as { recoveryCodes?: string[] } | undefined)?.recoveryCodes;
  if (codes?.length) freshCodes.value = codes;
  await refresh();
}
