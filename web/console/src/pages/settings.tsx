import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as api from "../api";
import { useAttempt } from "../attempt";
import { AppFactor } from "../parts/app_factor";
import { Notice } from "../parts/notice";
import { PasskeyList } from "../parts/passkey_list";
import { ProveDialog } from "../parts/prove";
import { RecoveryCodesDialog } from "../parts/recovery_codes";
import { SessionList } from "../parts/session_list";
import { SignInDetails } from "../parts/sign_in_details";
import * as factor from "../second_factor";

export function SettingsPage() {
  return (
    <div class="column settings">
      <h1>Settings</h1>
      <SecondFactorCard />
      {/* Who must set a factor up first may do nothing else. */}
      {factor.state.value?.required === false && (
        <>
          <SignInDetails />
          <SessionList />
        </>
      )}
    </div>
  );
}

function SecondFactorCard() {
  const { error, attempt } = useAttempt();
  useEffect(() => {
    void attempt(factor.refresh);
    return () => (factor.state.value = undefined);
  }, []);
  const state = factor.state.value;
  return (
    <section class="card" aria-labelledby="factor-title">
      <h2 id="factor-title">Second factor</h2>
      <p class="quiet">
        {state?.enabled
          ? "Signing in takes more than your password."
          : "Protects your account even if your password is stolen."}
      </p>
      {state?.required && (
        <Notice kind="hint">
          Administrators of this box need a second factor. Set one up here to use the rest of the console.
        </Notice>
      )}
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
      <h3 id="codes-title">Recovery codes</h3>
      <p class="quiet">{left === 1 ? "One is left." : `${left} are left.`} Each counts once.</p>
      <div class="actions start">
        <button type="button" onClick={() => (renewing.value = true)}>
          Make new codes
        </button>
      </div>
      {renewing.value && (
        <ProveDialog
          title="Make new recovery codes?"
          confirm="Make them"
          onClose={close}
          action={async (_, proof) => {
            await factor.change(() => api.renewRecoveryCodes(proof));
            close();
          }}
        >
          <p>Your old codes will stop working.</p>
        </ProveDialog>
      )}
    </section>
  );
}
