import { t } from "../app/i18n";
import { Field } from "../components/field";

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
      hint={t("password.hint")}
    />
  );
}
