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
  sentence?: string; // in place of it: what the console itself found
}
const ProblemContext = createContext<Problem | undefined>(undefined);

// The sentence about the field of this name, with its label in the place of its name; empty if there is none.
export function useProblem(name: string | undefined, label: string): string {
  const problem = useContext(ProblemContext);
  if (!problem || problem.field !== name) return "";
  return problem.sentence ?? label + problem.rest;
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
    const wrong = firstInvalid(form);
    if (wrong) {
      error.value = wrong.name ? "" : whyInvalid(wrong);
      problem.value = wrong.name ? { field: wrong.name, rest: "", sentence: whyInvalid(wrong) } : undefined;
      wrong.focus();
      return;
    }
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
    <form class={card ? "card" : undefined} noValidate onSubmit={(event) => void attempt(event)}>
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

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

// A control without a name cannot be told apart from others.
const firstInvalid = (form: HTMLFormElement) =>
  ([...form.elements] as Control[]).find((control) => "validity" in control && control.willValidate && !control.validity.valid);

// In the language of the console; the browser's own sentences are in that of the browser.
function whyInvalid(control: Control): string {
  const { validity } = control;
  const { min = "", max = "", maxLength = 0, minLength = 0 } = control as HTMLInputElement;
  if (validity.customError) return control.validationMessage;
  if (validity.valueMissing) return t("form.missing");
  if (validity.typeMismatch) return t(control.type === "email" ? "form.email" : "form.address");
  if (validity.rangeUnderflow) return t("form.at_least", { value: min });
  if (validity.rangeOverflow) return t("form.at_most", { value: max });
  if (validity.tooShort) return t("form.too_short", { value: minLength });
  if (validity.tooLong) return t("form.too_long", { value: maxLength });
  if (validity.stepMismatch || validity.badInput) return t("form.number");
  return t("form.wrong");
}

export const textOf = (values: FormData, name: string) => String(values.get(name) ?? "");
