import { useSignal } from "@preact/signals";
import * as account from "../account";
import * as api from "../api";
import { wantsSecondFactor } from "../api";
import { textOf, useAttempt } from "../attempt";
import { go } from "../router";
import type { Proof, RequestOptions } from "../wire";
import { Link } from "./link";
import { NewPasswordField } from "./new_password_field";
import { Notice } from "./notice";
import { SecondStep } from "./second_step";

// Where the link of the mail leads. Users with a second factor are asked for it. The new password ends all sessions,
// this browser's own included.
export function NewPassword({ token }: { token: string }) {
  const { busy, error, submit } = useAttempt();
  const changed = useSignal(false);
  const asked = useSignal<{ password: string; passkey: RequestOptions | null } | null>(null);
  const change = async (password: string, proof: Proof) => {
    try {
      await api.resetPassword(token, password, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { password, passkey: cause.passkey };
      return;
    }
    changed.value = true;
    await account.refreshUser();
  };
  return (
    <div class="column narrow">
      <h1>Choose a new password</h1>
      {changed.value ? (
        <Notice kind="hint">Your password is changed, and you are signed out everywhere.</Notice>
      ) : asked.value ? (
        <div class="card">
          <p>Your second factor, please.</p>
          <SecondStep
            passkey={asked.value.passkey}
            onProof={(proof) => change(asked.value!.password, proof)}
            onCancel={() => go("/login")}
          />
        </div>
      ) : (
        <form class="card" onSubmit={(event) => void submit(event, (values) => change(textOf(values, "password"), {}))}>
          <NewPasswordField label="New password" autoFocus />
          {error.value && <Notice kind="error">{error.value}</Notice>}
          <button type="submit" class="primary wide" disabled={busy.value}>
            {busy.value ? "Changing it…" : "Change the password"}
          </button>
        </form>
      )}
      <p class="quiet">
        {changed.value ? (
          <Link to="/login">Sign in</Link>
        ) : (
          <>
            The link is too old? <Link to="/login?forgot">Ask for another</Link>
          </>
        )}
      </p>
    </div>
  );
}
