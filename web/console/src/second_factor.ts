// The second factor of the person at the settings page, as the box last said.
import { signal } from "@preact/signals";
import { call } from "./api/client";
import type { Passkey, SecondFactor } from "./api/types";

export const state = signal<SecondFactor | undefined>(undefined);
export const passkeys = signal<Passkey[]>([]);
// Codes that were just made and are still to be kept.
export const freshCodes = signal<string[]>([]);

export async function refresh() {
  const [found, list] = await Promise.all([call("GET /api/settings/second-factor"), call("GET /api/settings/second-factor/passkeys")]);
  state.value = found;
  passkeys.value = list.passkeys;
}

// Runs a change, shows the recovery codes it may bring, and looks again.
export async function change(action: () => Promise<{ recoveryCodes: string[] } | unknown>) {
  const answer = await action();
  const codes = (answer as { recoveryCodes?: string[] } | undefined)?.recoveryCodes;
  if (codes?.length) freshCodes.value = codes;
  await refresh();
}
