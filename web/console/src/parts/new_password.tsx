import { useSignal } from "@preact/signals";
import * as account from "../account";
import { passkeyOptions, resetPassword, wantsSecondFactor } from "../api/requests";
import type { Proof, RequestOptions } from "../api/types";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { Notice } from "../components/notice";
import { NewPasswordField } from "./new_password_field";
import { SecondStep } from "./second_step";

// Where the link of the mail leads. Users with a second factor are asked for it. The new password ends all sessions,
// this browser's own included.
export function NewPassword({ token }: { token: string }) {
  const changed = useSignal(false);
  const asked = useSignal<{ password: string; passkey: RequestOptions | null } | null>(null);
  const change = async (password: string, proof: Proof) => {
    try {
      await resetPassword(token, password, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { password, passkey: passkeyOptions(cause) };
      return;
    }
    changed.value = true;
    await account.refreshUser();
  };
  return (
    <div class="column narrow">
      <h1>{t("reset.title")}</h1>
      {changed.value ? (
        <Notice kind="hint">{t("reset.done")}</Notice>
      ) : asked.value ? (
        <div class="card">
          <p>{t("factor.please")}</p>
          <SecondStep
            passkey={asked.value.passkey}
            onProof={(proof) => change(asked.value!.password, proof)}
            onCancel={() => go("/login")}
          />
        </div>
      ) : (
        <Form submit={t("reset.submit")} wide card onSubmit={(values) => change(textOf(values, "password"), {})}>
          <NewPasswordField label={t("password.new")} autoFocus />
        </Form>
      )}
      <p class="quiet">
        {changed.value ? (
          <Link to="/login">{t("action.sign_in")}</Link>
        ) : (
          <>
            {t("reset.too_old")} <Link to="/login?forgot">{t("reset.another")}</Link>
          </>
        )}
      </p>
    </div>
  );
}
