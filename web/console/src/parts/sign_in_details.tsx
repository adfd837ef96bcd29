import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import * as api from "../api";
import { textOf, useAttempt } from "../attempt";
import * as factor from "../second_factor";
import { Field } from "./field";
import { NewPasswordField } from "./new_password_field";
import { Notice } from "./notice";
import { passwordOf, ProveDialog } from "./prove";
import { EmailVerification } from "./email_verification";

// What one signs in with: address and password.
export function SignInDetails() {
  const { error, attempt } = useAttempt();
  const changing = useSignal<"email" | "password" | null>(null);
  const done = useSignal("");
  const begin = (what: "email" | "password") => {
    done.value = "";
    changing.value = what;
  };
  const close = () => (changing.value = null);
  const hasPassword = factor.state.value?.hasPassword ?? true;
  useEffect(() => void attempt(account.refreshSettings), []);
  return (
    <section class="card" aria-labelledby="details-title">
      <h2 id="details-title">Signing in</h2>
      <p class="quiet">{account.settings.value?.email}</p>
      <EmailVerification />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {done.value && <Notice kind="hint">{done.value}</Notice>}
      <div class="actions start">
        <button type="button" onClick={() => begin("email")}>
          Change the e-mail address
        </button>
        {hasPassword && (
          <button type="button" onClick={() => begin("password")}>
            Change the password
          </button>
        )}
      </div>
      {changing.value === "email" && (
        <ProveDialog
          title="Change the e-mail address"
          confirm="Change it"
          withPassword={hasPassword}
          onClose={close}
          action={async (values, proof) => {
            await api.changeEmail(textOf(values, "email"), passwordOf(values), proof);
            await Promise.all([account.refreshUser(), account.refreshSettings()]);
            done.value = "Your e-mail address is changed.";
            close();
          }}
        >
          <Field label="New e-mail address" name="email" type="email" required autoFocus maxLength={254} autocomplete="email" />
        </ProveDialog>
      )}
      {changing.value === "password" && (
        <ProveDialog
          title="Change the password"
          confirm="Change it"
          withPassword
          onClose={close}
          action={async (values) => {
            await api.changePassword(textOf(values, "currentPassword"), textOf(values, "password"));
            done.value = "Your password is changed, and you are signed out everywhere else.";
            close();
          }}
        >
          <NewPasswordField label="New password" autoFocus />
        </ProveDialog>
      )}
    </section>
  );
}
