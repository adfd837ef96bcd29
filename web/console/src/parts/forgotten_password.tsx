import { useSignal } from "@preact/signals";
import * as api from "../api";
import { textOf, useAttempt } from "../attempt";
import { Field } from "./field";
import { Link } from "./link";
import { Notice } from "./notice";

export function ForgottenPassword() {
  const { busy, error, submit } = useAttempt();
  const asked = useSignal(false);
  const ask = async (values: FormData) => {
    await api.forgotPassword(textOf(values, "email").trim());
    asked.value = true;
  };
  return (
    <div class="column narrow">
      <h1>Forgot the password?</h1>
      {asked.value ? (
        <Notice kind="hint">
          If there is an account of this address, a mail with a link is on its way. A box without a mail server keeps it for
          its administrator.
        </Notice>
      ) : (
        <form class="card" onSubmit={(event) => void submit(event, ask)}>
          <Field label="E-mail" name="email" type="email" required autoFocus autocomplete="username" maxLength={254} />
          {error.value && <Notice kind="error">{error.value}</Notice>}
          <button type="submit" class="primary wide" disabled={busy.value}>
            Send me a link
          </button>
        </form>
      )}
      <p class="quiet">
        <Link to="/login">Back to signing in</Link>
      </p>
    </div>
  );
}
