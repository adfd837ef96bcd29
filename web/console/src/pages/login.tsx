import { FinishSignIn } from "../parts/finish_sign_in";
import { NewPassword } from "../parts/new_password";
import { ForgottenPassword } from "../parts/forgotten_password";
import { Link } from "../parts/link";
import { Notice } from "../parts/notice";
import { SignIn } from "../parts/sign_in";
import { SignUp } from "../parts/sign_up";
import { location } from "../router";

// What a provider's sign-in leaves in the address when it fails: the provider's name and the reason.
const providers: Record<string, string> = { Idp: "identity provider", Codehost: "code host" };
const reasons: Record<string, (provider: string) => string> = {
  NotConfigured: (provider) => `This box has no ${provider} set up. Please sign in with e-mail and password.`,
  AuthFailed: (provider) => `The ${provider} did not confirm who you are. Please try again.`,
  TokenFailed: (provider) => `The ${provider} did not accept the box's request. Please try again.`,
  NoEmail: (provider) => `Your account at the ${provider} has no verified e-mail address, and this box needs one.`,
  NoAccount: () => "There is no account with your address on this box. Please ask its administrator for one.",
  Busy: () => "Too many sign-ins from your network, or the box is busy. Please try again in a minute.",
  AuthError: (provider) => `Signing in with the ${provider} failed on this box. Its log says why.`,
};

function sentenceOf(error: string): string {
  const [, provider, reason] = /^(Idp|Codehost)(\w+)$/.exec(error) ?? [];
  const known = provider && reason && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return known ? known(providers[provider!]!) : "Signing in failed. Please try again.";
}

export function Login() {
  const address = location.value.searchParams;
  const token = address.get("reset");
  const failed = address.get("error");
  if (token !== null) return <NewPassword key={token} token={token} />;
  if (address.has("forgot")) return <ForgottenPassword />;
  if (address.has("second-factor")) return <FinishSignIn />;
  const creating = address.has("new");
  return (
    <div class="column narrow">
      <h1>{creating ? "Create an account" : "Sign in"}</h1>
      {failed !== null && <Notice kind="error">{sentenceOf(failed)}</Notice>}
      {creating ? <SignUp key="new" /> : <SignIn key="known" />}
      <p class="quiet">
        {creating ? (
          <>
            Have an account already? <Link to="/login">Sign in</Link>
          </>
        ) : (
          <>
            New here? <Link to="/login?new">Create an account</Link>. <Link to="/login?forgot">Forgot the password?</Link>
          </>
        )}
      </p>
    </div>
  );
}
