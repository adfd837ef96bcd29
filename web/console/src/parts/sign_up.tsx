import * as account from "../account";
import type { Registration } from "../api/types";
import { t } from "../app/i18n";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { NewPasswordField } from "./new_password_field";

const optional = ["name", "referralCode", "inviteCode", "website"] as const;

export function SignUp() {
  const create = (values: FormData) => {
    const person: Registration = { email: textOf(values, "email").trim(), password: textOf(values, "password") };
    for (const name of optional) {
      const text = textOf(values, name).trim();
      if (text) person[name] = text;
    }
    return account.signUp(person);
  };
  return (
    <Form submit={t("sign_up.submit")} wide card onSubmit={create}>
      <Field label={t("sign_up.name")} name="name" autoFocus autocomplete="name" maxLength={100} dir="auto" />
      <Field label={t("sign_in.email")} name="email" type="email" required autocomplete="username" maxLength={254} />
      <NewPasswordField label={t("sign_in.password")} />
      <Field label={t("sign_up.referral")} name="referralCode" autocomplete="off" maxLength={20} />
      <Field label={t("sign_up.invite")} name="inviteCode" autocomplete="off" maxLength={100} />
      {/* Left empty by people; only robots fill it in. */}
      <div class="unseen" aria-hidden="true">
        <label for="website">{t("sign_up.website")}</label>
        <input id="website" name="website" tabIndex={-1} autocomplete="off" />
      </div>
    </Form>
  );
}
