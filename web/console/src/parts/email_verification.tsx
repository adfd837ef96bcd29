import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { call, sentence } from "../api/client";
import { t } from "../app/i18n";
import { go, location } from "../app/router";
import { Button } from "../components/button";
import { Notice } from "../components/notice";

// Whether the box sends mails; asked for while it matters. undefined: not known yet.
export function useSendsMail(matters: boolean): boolean | undefined {
  const sends = useSignal<boolean | undefined>(undefined);
  useEffect(() => {
    if (matters)
      call("GET /api/auth/methods").then(
        (methods) => (sends.value = methods.sendsMail),
        () => void (sends.value ??= true),
      );
  }, [matters]);
  return sends.value;
}

// Whether the e-mail address is verified, and what to do if not. The link of the mail leads here.
export function EmailVerification() {
  const busy = useSignal(false);
  const error = useSignal("");
  const done = useSignal("");
  const attempt = async (action: () => Promise<string>) => {
    busy.value = true;
    error.value = "";
    done.value = "";
    try {
      done.value = await action();
      await account.refreshSettings();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  const token = location.value.searchParams.get("verify");
  useEffect(() => {
    if (!token) return;
    void attempt(async () => {
      go("/settings", { replace: true });
      await call("POST /api/auth/verify-email", { body: { token } });
      return t("verify.done");
    });
  }, [token]);
  const isMissing = account.settings.value?.emailVerified === false;
  const sendsMail = useSendsMail(isMissing);
  const send = async () => {
    await call("POST /api/auth/verify-email/mail");
    return t(sendsMail ? "verify.sent" : "verify.kept");
  };
  return (
    <>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {done.value && <Notice kind="hint">{done.value}</Notice>}
      {isMissing && sendsMail === undefined && <p class="quiet">{t("state.loading")}</p>}
      {isMissing && sendsMail !== undefined && (
        <>
          <p class="quiet">{t(sendsMail ? "verify.missing" : "attention.email_no_mail")}</p>
          <div class="actions start">
            <Button disabled={busy.value} onClick={() => void attempt(send)}>
              {t(sendsMail ? "verify.send" : "verify.prepare")}
            </Button>
          </div>
        </>
      )}
    </>
  );
}
