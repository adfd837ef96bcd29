import { useSignal } from "@preact/signals";
import * as account from "../account";
import { wantsSecondFactor } from "../api";
import { textOf, useAttempt } from "../attempt";
import type { Proof, RequestOptions } from "../wire";
import { Field } from "./field";
import { Notice } from "./notice";
import { SecondStep } from "./second_step";

interface Asked {
  email: string;
  password: string;
  passkey: RequestOptions | null;
}

// E-mail and password, and then the second factor of users who have one. Success leaves the page.
export function SignIn() {
  const { busy, error, submit } = useAttempt();
  const asked = useSignal<Asked | null>(null);
  const enter = async (email: string, password: string, proof: Proof) => {
    try {
      await account.signIn(email, password, proof);
    } catch (cause) {
      if (!wantsSecondFactor(cause)) throw cause;
      asked.value = { email, password, passkey: cause.passkey };
    }
  };
  if (asked.value) {
    const { email, password, passkey } = asked.value;
    return (
      <div class="card">
        <p>Your second factor, please.</p>
        <SecondStep
          passkey={passkey}
          onProof={(proof) => enter(email, password, proof)}
          onCancel={() => (asked.value = null)}
        />
      </div>
    );
  }
  return (
    <form
      class="card"
      onSubmit={(event) =>
        void submit(event, (values) => enter(textOf(values, "email").trim(), textOf(values, "password"), {}))
      }
    >
      <Field label="E-mail" name="email" type="email" required autoFocus autocomplete="username" maxLength={254} />
      <Field label="Password" name="password" type="password" required autocomplete="current-password" />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <button type="submit" class="primary wide" disabled={busy.value}>
        {busy.value ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}
