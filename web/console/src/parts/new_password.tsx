import { useSignal } from "@preact/signals";
import * as account from "../account";
import * as api from "../api";
import { textOf, useAttempt } from "../attempt";
import { Link } from "./link";
import { NewPasswordField } from "./new_password_field";
import { Notice } from "./notice";

// Where the link of the mail leads. The new password ends all sessions, this browser's own included.
export function NewPassword({ token }: { token: string }) {
  const { busy, error, submit } = useAttempt();
  const changed = useSignal(false);
  const change = async (values: FormData) => {
    await api.resetPassword(token, textOf(values, "password"));
    changed.value = true;
    await account.refreshUser();
  };
  return (
    <div class="column narrow">
      <h1>Choose a new password</h1>
      {changed.value ? (
        <Notice kind="hint">Your password is changed, and you are signed out everywhere.</Notice>
      ) : (
        <form class="card" onSubmit={(event) => void submit(event, change)}>
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
