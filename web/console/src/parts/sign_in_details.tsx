import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { call, sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Field } from "../components/field";
import { textOf } from "../components/form";
import { Notice } from "../components/notice";
import * as factor from "../second_factor";
import { EmailVerification } from "./email_verification";
import { NewPasswordField } from "./new_password_field";
import { passwordOf, ProveDialog } from "./prove";

// What one signs in with: address and password.
export function SignInDetails() {
  const error = useSignal("");
  const changing = useSignal<"email" | "password" | null>(null);
  const done = useSignal("");
  const begin = (what: "email" | "password") => {
    done.value = "";
    changing.value = what;
  };
  const close = () => (changing.value = null);
  const hasPassword = factor.state.value?.hasPassword ?? true;
  useEffect(() => {
    account.refreshSettings().catch((cause: unknown) => (error.value = sentence(cause)));
  }, []);
  return (
    <section class="card" aria-labelledby="details-title">
      <h2 id="details-title">{t("details.title")}</h2>
      <p class="quiet">{account.settings.value?.email}</p>
      <EmailVerification />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {done.value && <Notice kind="hint">{done.value}</Notice>}
      <div class="actions start">
        <Button onClick={() => begin("email")}>{t("details.change_email")}</Button>
        {hasPassword && <Button onClick={() => begin("password")}>{t("details.change_password")}</Button>}
      </div>
      {changing.value === "email" && (
        <ProveDialog
          title={t("details.change_email")}
          confirm={t("details.change")}
          withPassword={hasPassword}
          onClose={close}
          action={async (values, proof) => {
            await call("PATCH /api/settings", { body: { email: textOf(values, "email"), currentPassword: passwordOf(values), ...proof } });
            await Promise.all([account.refreshUser(), account.refreshSettings()]);
            done.value = t("details.email_changed");
            close();
          }}
        >
          <Field label={t("details.new_email")} name="email" type="email" required autoFocus maxLength={254} autocomplete="email" />
        </ProveDialog>
      )}
      {changing.value === "password" && (
        <ProveDialog
          title={t("details.change_password")}
          confirm={t("details.change")}
          withPassword
          onClose={close}
          action={async (values) => {
            await call("POST /api/settings/password", {
              body: { currentPassword: textOf(values, "currentPassword"), newPassword: textOf(values, "password") },
            });
            done.value = t("details.password_changed");
            close();
          }}
        >
          <NewPasswordField label={t("password.new")} autoFocus />
        </ProveDialog>
      )}
    </section>
  );
}
