import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import * as api from "../api";
import { useAttempt } from "../attempt";
import { go, location } from "../router";
import { Notice } from "./notice";

// Whether the e-mail address is verified, and what to do if not. The link of the mail leads here.
export function EmailVerification() {
  const { busy, error, attempt } = useAttempt();
  const done = useSignal("");
  const verify = async (token: string) => {
    go("/settings", { replace: true });
    await api.verifyEmail(token);
    done.value = "Your e-mail address is verified.";
    await account.refreshSettings();
  };
  const send = async () => {
    done.value = "";
    await api.sendVerificationMail();
    done.value = "The mail is on its way.";
  };
  const token = location.value.searchParams.get("verify");
  useEffect(() => {
    if (token) void attempt(() => verify(token));
  }, [token]);
  const isMissing = account.settings.value?.emailVerified === false;
  return (
    <>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {done.value && <Notice kind="hint">{done.value}</Notice>}
      {isMissing && (
        <>
          <p class="quiet">This address is not verified yet. Open the link in the mail that was sent to it.</p>
          <div class="actions start">
            <button type="button" disabled={busy.value} onClick={() => void attempt(send)}>
              Send another mail
            </button>
          </div>
        </>
      )}
    </>
  );
}
