import { call } from "../api/client";
import type { SignInMethods } from "../api/types";
import { type Key, t } from "../app/i18n";
import { location } from "../app/router";
import { Link } from "../components/link";
import { useLoad } from "../components/loaded";
import { Notice } from "../components/notice";
import { FinishSignIn } from "../parts/finish_sign_in";
import { ForgottenPassword } from "../parts/forgotten_password";
import { NewPassword } from "../parts/new_password";
import { SignIn } from "../parts/sign_in";
import { SignInProviders } from "../parts/sign_in_providers";
import { SignUp } from "../parts/sign_up";

// What a provider's sign-in leaves in the address when it fails: the provider's name and the reason.
const providers: Record<string, Key> = { Idp: "sign_in.idp", Codehost: "sign_in.codehost" };
const reasons: Record<string, Key> = {
  NotConfigured: "sign_in.not_configured",
  AuthFailed: "sign_in.auth_failed",
  TokenFailed: "sign_in.token_failed",
  NoEmail: "sign_in.no_email",
  NoAccount: "sign_in.no_account",
  Busy: "sign_in.busy",
  AuthError: "sign_in.auth_error",
};

function sentenceOf(error: string): string {
  const [, provider, reason] = /^(Idp|Codehost)(\w+)$/.exec(error) ?? [];
  const known = reason && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return known ? t(known, { provider: t(providers[provider!]!) }) : t("sign_in.failed");
}

export default function Login() {
  const address = location.value.searchParams;
  const token = address.get("reset");
  const failed = address.get("error");
  const methods = useLoad(() => call("GET /api/auth/methods"));
  if (token !== null) return <NewPassword key={token} token={token} />;
  if (address.has("forgot")) return <ForgottenPassword />;
  if (address.has("second-factor")) return <FinishSignIn />;
  const known = methods.data.value;
  if (known && !known.password) return <ProviderOnly methods={known} failed={failed} />;
  const creating = address.has("new");
  return (
    <div class="column narrow">
      <h1>{creating ? t("action.sign_up") : t("action.sign_in")}</h1>
      {failed !== null && <Notice kind="error">{sentenceOf(failed)}</Notice>}
      {creating ? <SignUp key="new" /> : <SignIn key="known" />}
      {(!creating || address.has("invite")) && <SignInProviders providers={known?.providers ?? []} />}
      <p class="quiet">
        {creating ? (
          <>
            {t("sign_in.have_account")} <Link to="/login">{t("action.sign_in")}</Link>
          </>
        ) : (
          <>
            {t("sign_in.new_here")} <Link to="/login?new">{t("action.sign_up")}</Link>
            {" · "}
            <Link to="/login?forgot">{t("forgot.title")}</Link>
          </>
        )}
      </p>
    </div>
  );
}

// Nobody but the break-glass administrator signs in with a password.
function ProviderOnly({ methods, failed }: { methods: SignInMethods; failed: string | null }) {
  const emergency = location.value.searchParams.has("emergency");
  return (
    <div class="column narrow">
      <h1>{emergency ? t("sign_in.emergency") : t("action.sign_in")}</h1>
      {failed !== null && <Notice kind="error">{sentenceOf(failed)}</Notice>}
      <p class="quiet">{t(emergency ? "sign_in.emergency_about" : "sign_in.provider_only")}</p>
      {emergency ? <SignIn /> : <SignInProviders providers={methods.providers} />}
      <p class="quiet">
        {emergency ? (
          <Link to="/login">{t("action.sign_in")}</Link>
        ) : (
          methods.breakGlass && <Link to="/login?emergency">{t("sign_in.emergency")}</Link>
        )}
      </p>
    </div>
  );
}
