import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { sentence, wantsSecondFactor } from "../api";
import { go } from "../router";
import type { Proof, RequestOptions } from "../wire";
import { Link } from "./link";
import { Notice } from "./notice";
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
      asked.value = { passkey: cause.passkey };
    }
  };
  useEffect(() => {
    finish({}).catch((cause: unknown) => (failed.value = sentence(cause)));
  }, []);
  return (
    <div class="column narrow">
      <h1>Sign in</h1>
      {failed.value && (
        <>
          <Notice kind="error">{failed.value}</Notice>
          <p class="quiet">
            <Link to="/login">Back to signing in</Link>
          </p>
        </>
      )}
      {asked.value && (
        <div class="card">
          <p>Your second factor, please.</p>
          <SecondStep passkey={asked.value.passkey} onProof={finish} onCancel={() => go("/login")} />
        </div>
      )}
    </div>
  );
}
