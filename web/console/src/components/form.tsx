import { useSignal } from "@preact/signals";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { ApiError, sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Notice } from "./notice";

// What the box said about one field of the form.
interface Problem {
  field: string;
  rest: string; // the box's sentence behind the name of the field, from its space or colon on
}
const ProblemContext = createContext<Problem | undefined>(undefined);

// The sentence about the field of this name, with its label in the place of its name; empty if there is none.
export function useProblem(name: string | undefined, label: string): string {
  const problem = useContext(ProblemContext);
  return problem && problem.field === name ? label + problem.rest : "";
}

interface Props {
  submit: string;
  danger?: boolean;
  wide?: boolean; // the button is as wide as the form
  card?: boolean;
  onCancel?: () => void;
  onSubmit: (values: FormData) => Promise<unknown>;
  children?: ComponentChildren;
}

// Fields and what becomes of them. One attempt at a time; an error about a field stands beside it, others above the
// buttons. Nothing that was typed is lost.
export function Form({ submit, danger, wide, card, onCancel, onSubmit, children }: Props) {
  const busy = useSignal(false);
  const error = useSignal("");
  const problem = useSignal<Problem | undefined>(undefined);
  const attempt = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy.value) return;
    const form = event.currentTarget as HTMLFormElement;
    busy.value = true;
    error.value = "";
    problem.value = undefined;
    try {
      await onSubmit(new FormData(form));
    } catch (cause) {
      const field = cause instanceof ApiError ? cause.field : "";
      // An entry of a list, receivers[2], may stand in one field with the others.
      const list = field.replace(/\[.*$/, "");
      const named = field ? form.elements.namedItem(field) : null;
      const whole = list !== field ? form.elements.namedItem(list) : null;
      if (named instanceof HTMLElement) {
        problem.value = { field, rest: (cause as ApiError).rest };
        named.focus();
      } else if (whole instanceof HTMLElement) {
        problem.value = { field: list, rest: `: ${sentence(cause)}` };
        whole.focus();
      } else {
        error.value = sentence(cause);
      }
    } finally {
      busy.value = false;
    }
  };
  return (
    <form class={card ? "card" : undefined} onSubmit={(event) => void attempt(event)}>
      <ProblemContext.Provider value={problem.value}>{children}</ProblemContext.Provider>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <div class={wide ? "" : "actions"}>
        {onCancel && <Button onClick={onCancel}>{t("action.cancel")}</Button>}
        <button type="submit" class={`${danger ? "danger" : "primary"}${wide ? " wide" : ""}`} disabled={busy.value}>
          {busy.value ? t("state.working") : submit}
        </button>
      </div>
    </form>
  );
}

export const textOf = (values: FormData, name: string) => String(values.get(name) ?? "");
