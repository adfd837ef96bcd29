import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { sentence } from "../api/client";
import { passkeyOptions, wantsSecondFactor } from "../api/requests";
import type { Proof, RequestOptions } from "../api/types";
import { t } from "../app/i18n";
import { go } from "../app/router";
import { Link } from "../components/link";
import { Notice } from "../components/notice";
import { SecondStep } from "./second_step";

// The user has returned from a sign-in provider and needs the second factor. Success leaves the page.
export function FinishSignIn() {
  const asked = useSignal<{ passkey: RequestOptions | null } | null>(null);
  const failed = useSignal("");
  const finish = async (proof: Proof) => {
    try {
      await account.finishSignIn(proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { passkey: passkeyOptions(cause) };
    }
  };
  useEffect(() => {
    finish({}).catch((cause: unknown) => (failed.value = sentence(cause)));
  }, []);
  return (
    <div class="column narrow">
      <h1>{t("action.sign_in")}</h1>
      {failed.value && (
        <>
          <Notice kind="error">{failed.value}</Notice>
          <p class="quiet">
            <Link to="/login">{t("sign_in.back")}</Link>
          </p>
        </>
      )}
      {asked.value && (
        <div class="card">
          <p>{t("factor.please")}</p>
          <SecondStep passkey={asked.value.passkey} onProof={finish} onCancel={() => go("/login")} />
        </div>
      )}
    </div>
  );
}
