import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, sentence } from "../api/client";
import { t, tn } from "../app/i18n";
import { Button } from "../components/button";
import { Link } from "../components/link";
import { Notice } from "../components/notice";
import { Appearance } from "../parts/appearance";
import { AppFactor } from "../parts/app_factor";
import { IdentityList } from "../parts/identity_list";
import { Leaving } from "../parts/leaving";
import { PasskeyList } from "../parts/passkey_list";
import { Profile } from "../parts/profile";
import { ProveDialog } from "../parts/prove";
import { RecoveryCodesDialog } from "../parts/recovery_codes";
import { SessionList } from "../parts/session_list";
import { SignInDetails } from "../parts/sign_in_details";
import * as factor from "../second_factor";

export default function AccountPage() {
  return (
    <div class="column settings">
      <h1>{t("page.account")}</h1>
      <SecondFactorCard />
      {/* Who must set a factor up first may do nothing else. */}
      {factor.state.value?.required === false && (
        <>
          <SignInDetails />
          <IdentityList />
          <Profile />
          <NotificationsCard />
          <SessionList />
        </>
      )}
      <Appearance />
      {factor.state.value?.required === false && <Leaving />}
    </div>
  );
}

function NotificationsCard() {
  return (
    <section class="card" aria-labelledby="notifications-title">
      <h2 id="notifications-title">{t("page.notifications")}</h2>
      <p class="quiet">{t("notify.account")}</p>
      <Link to="/settings/notifications">{t("notify.open")}</Link>
    </section>
  );
}

function SecondFactorCard() {
  const error = useSignal("");
  useEffect(() => {
    factor.refresh().catch((cause: unknown) => (error.value = sentence(cause)));
    return () => (factor.state.value = undefined);
  }, []);
  const state = factor.state.value;
  return (
    <section class="card" aria-labelledby="factor-title">
      <h2 id="factor-title">{t("factor.title")}</h2>
      <p class="quiet">{state?.enabled ? t("factor.on") : t("factor.off")}</p>
      {state?.required && <Notice kind="hint">{t("factor.required")}</Notice>}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {state && (
        <>
          <PasskeyList />
          <AppFactor />
          {state.enabled && <RecoveryCodes left={state.recoveryCodesLeft} />}
        </>
      )}
      {factor.freshCodes.value.length > 0 && (
        <RecoveryCodesDialog codes={factor.freshCodes.value} onClose={() => (factor.freshCodes.value = [])} />
      )}
    </section>
  );
}

function RecoveryCodes({ left }: { left: number }) {
  const renewing = useSignal(false);
  const close = () => (renewing.value = false);
  return (
    <section aria-labelledby="codes-title">
      <h3 id="codes-title">{t("codes.title")}</h3>
      <p class="quiet">
        {tn("codes.left", left)} {t("codes.once")}
      </p>
      <div class="actions start">
        <Button onClick={() => (renewing.value = true)}>{t("codes.renew")}</Button>
      </div>
      {renewing.value && (
        <ProveDialog
          title={t("codes.renew_title")}
          confirm={t("codes.renew_confirm")}
          onClose={close}
          action={async (_, proof) => {
            await factor.change(() => call("POST /api/settings/second-factor/recovery-codes", { body: { ...proof } }));
            close();
          }}
        >
          <p>{t("codes.renew_text")}</p>
        </ProveDialog>
      )}
    </section>
  );
}
