import { Field } from "./field";

// A password that is chosen: its rules are the box's own.
export function NewPasswordField({ label, autoFocus = false }: { label: string; autoFocus?: boolean }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      required
      autoFocus={autoFocus}
      minLength={8}
      maxLength={256}
      autocomplete="new-password"
      hint="At least 8 characters. A sentence is better than a word."
    />
  );
}
