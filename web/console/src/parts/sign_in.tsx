import { useSignal } from "@preact/signals";
import * as account from "../account";
import { passkeyOptions, wantsSecondFactor } from "../api/requests";
import type { Proof, RequestOptions } from "../api/types";
import { t } from "../app/i18n";
import { Field } from "../components/field";
import { Form, textOf } from "../components/form";
import { SecondStep } from "./second_step";

interface Asked {
  email: string;
  password: string;
  passkey: RequestOptions | null;
}

// E-mail and password, and then the second factor of users who have one. Success leaves the page.
export function SignIn() {
  const asked = useSignal<Asked | null>(null);
  const enter = async (email: string, password: string, proof: Proof) => {
    try {
      await account.signIn(email, password, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { email, password, passkey: passkeyOptions(cause) };
    }
  };
  if (asked.value) {
    const { email, password, passkey } = asked.value;
    return (
      <div class="card">
        <p>{t("factor.please")}</p>
        <SecondStep passkey={passkey} onProof={(proof) => enter(email, password, proof)} onCancel={() => (asked.value = null)} />
      </div>
    );
  }
  return (
    <Form
      submit={t("action.sign_in")}
      wide
      card
      onSubmit={(values) => enter(textOf(values, "email").trim(), textOf(values, "password"), {})}
    >
      <Field label={t("sign_in.email")} name="email" type="email" required autoFocus autocomplete="username" maxLength={254} />
      <Field label={t("sign_in.password")} name="password" type="password" required autocomplete="current-password" />
    </Form>
  );
}
