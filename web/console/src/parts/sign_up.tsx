import * as account from "../account";
import { call } from "../api/client";
import type { Registration } from "../api/types";
import { t } from "../app/i18n";
import { location } from "../app/router";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { NewPasswordField } from "./new_password_field";

const optional = ["name", "referralCode", "inviteCode", "website"] as const;

export function SignUp() {
  const policy = useLoad(() => call("GET /api/registration"));
  const registration = policy.data.value?.registration;
  // An invitation also counts where anybody may register: it brings a plan and a group.
  const invitation = location.peek().searchParams.get("invite") ?? "";
  const create = (values: FormData) => {
    const person: Registration = { email: textOf(values, "email").trim(), password: textOf(values, "password") };
    for (const name of optional) {
      const text = textOf(values, name).trim();
      if (text) person[name] = text;
    }
    return account.signUp(person);
  };
  if (registration === "closed") return <Notice kind="hint">{t("sign_up.closed")}</Notice>;
  return (
    <Form submit={t("sign_up.submit")} wide card onSubmit={create}>
      <Field label={t("sign_up.name")} name="name" autoFocus autocomplete="name" maxLength={100} dir="auto" />
      <Field label={t("sign_in.email")} name="email" type="email" required autocomplete="username" maxLength={254} />
      <NewPasswordField label={t("sign_in.password")} />
      <Field label={t("sign_up.referral")} name="referralCode" autocomplete="off" maxLength={20} />
      {(registration === "invite" || (registration === "open" && invitation !== "")) && (
        <Field
          label={t("sign_up.invite")}
          name="inviteCode"
          autocomplete="off"
          maxLength={100}
          required={registration === "invite"}
          defaultValue={invitation}
        />
      )}
      {/* Left empty by people; only robots fill it in. */}
      <div class="unseen" aria-hidden="true">
        <label for="website">{t("sign_up.website")}</label>
        <input id="website" name="website" tabIndex={-1} autocomplete="off" />
      </div>
    </Form>
  );
}
