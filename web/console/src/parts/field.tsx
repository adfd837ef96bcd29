import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

type Props = InputHTMLAttributes<HTMLInputElement> & {
  label: string;
  hint?: ComponentChildren;
};

// A labelled input whose hint is read out with it.
export function Field({ label, hint, ...input }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} aria-describedby={hint ? `${id}-hint` : undefined} {...input} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
