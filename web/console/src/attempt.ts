import { useSignal } from "@preact/signals";
import { sentence } from "./api";

// Runs one attempt at a time and keeps its outcome for the form to show.
export function useAttempt() {
  const busy = useSignal(false);
  const error = useSignal("");
  const attempt = async (action: () => Promise<unknown>) => {
    if (busy.value) return;
    busy.value = true;
    error.value = "";
    try {
      await action();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  // The same for a form, whose values the action gets.
  const submit = (event: SubmitEvent, action: (values: FormData) => Promise<unknown>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    return attempt(() => action(values));
  };
  return { busy, error, attempt, submit };
}

export const textOf = (values: FormData, name: string) => String(values.get(name) ?? "");
