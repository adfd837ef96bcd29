// What administrators do takes a recent proof that it is them.
import { signal } from "@preact/signals";
import { ApiError } from "./api/client";
import { t } from "./app/i18n";

export interface Asked {
  proved: () => void;
  givenUp: () => void;
}

// While somebody is asked to prove it.
export const asked = signal<Asked | undefined>(undefined);

// Runs an action, and once more after the person has proved who they are if the box asks for that.
export async function confirmed<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== "STEP_UP_REQUIRED") throw cause;
  }
  await new Promise<void>((resolve, reject) => {
    asked.value = { proved: resolve, givenUp: () => reject(new ApiError(t("step_up.given_up"), 403)) };
  });
  return action();
}
