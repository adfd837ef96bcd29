import type { AllHTMLAttributes, ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useProblem } from "./form";

interface Common {
  label: string;
  name?: string | undefined;
  hint?: ComponentChildren;
}
type InputProps = Omit<AllHTMLAttributes<HTMLInputElement>, "label" | "name"> & Common;
type AreaProps = Omit<AllHTMLAttributes<HTMLTextAreaElement>, "label" | "name"> & Common;
type SelectProps = Omit<AllHTMLAttributes<HTMLSelectElement>, "label" | "name"> & Common;

// A labelled control. Its hint and what is wrong with it are read out with it.
function useControl({ label, name, hint }: Common) {
  const id = useId();
  const problem = useProblem(name, label);
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  const attributes = { id, name, "aria-describedby": described || undefined, "aria-invalid": problem ? true : undefined };
  const frame = (control: ComponentChildren) => (
    <div class="field">
      <label for={id}>{label}</label>
      {control}
      {problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
  return { attributes, frame };
}

export function Field({ label, name, hint, ...input }: InputProps) {
  const { attributes, frame } = useControl({ label, name, hint });
  return frame(<input {...(input as object)} {...attributes} />);
}

export function TextArea({ label, name, hint, ...area }: AreaProps) {
  const { attributes, frame } = useControl({ label, name, hint });
  return frame(<textarea {...(area as object)} {...attributes} />);
}

export function Select({ label, name, hint, children, defaultValue, ...select }: SelectProps) {
  const { attributes, frame } = useControl({ label, name, hint });
  const element = useRef<HTMLSelectElement>(null);
  // Preact leaves a select's default value alone.
  useLayoutEffect(() => {
    if (defaultValue !== undefined) element.current!.value = String(defaultValue);
  }, []);
  return frame(
    <select {...(select as object)} {...attributes} ref={element}>
      {children}
    </select>,
  );
}

export function Checkbox({ label, hint, name, ...input }: InputProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="choice">
        <input type="checkbox" name={name} {...(input as object)} aria-describedby={hint ? `${id}-hint` : undefined} />
        {label}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
