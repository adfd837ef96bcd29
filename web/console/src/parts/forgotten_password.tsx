import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Notice } from "../components/notice";

export function ForgottenPassword() {
  const asked = useSignal(false);
  const ask = async (values: FormData) => {
    await call("POST /api/auth/forgot-password", { body: { email: textOf(values, "email").trim() } });
    asked.value = true;
  };
  return (
    <div class="column narrow">
      <h1>{t("forgot.title")}</h1>
      {asked.value ? (
        <Notice kind="hint">{t("forgot.done")}</Notice>
      ) : (
        <Form submit={t("forgot.submit")} wide card onSubmit={ask}>
          <Field label={t("sign_in.email")} name="email" type="email" required autoFocus autocomplete="username" maxLength={254} />
        </Form>
      )}
      <p class="quiet">
        <Link to="/login">{t("sign_in.back")}</Link>
      </p>
    </div>
  );
}
