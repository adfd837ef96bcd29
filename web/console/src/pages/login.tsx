import { useSignal } from "@preact/signals";
import * as account from "../account";
import { sentence } from "../api";
import { Field } from "../parts/field";
import { Link } from "../parts/link";
import { Notice } from "../parts/notice";
import { location } from "../router";
import type { Registration } from "../wire";

// What sign-in with an identity provider leaves in the address when it fails.
const providerErrors: Record<string, string> = {
  IdpNotConfigured: "This box has no identity provider set up. Please sign in with e-mail and password.",
  IdpAuthFailed: "The identity provider did not confirm who you are. Please try again.",
  IdpTokenFailed: "The identity provider did not accept the box's request. Please try again.",
  IdpNoEmail: "Your account at the identity provider has no e-mail address, and this box needs one.",
  IdpAuthError: "Signing in with the identity provider failed on this box. Its log says why.",
};

export function Login() {
  const address = location.value.searchParams;
  const creating = address.has("new");
  const failed = address.get("error");
  return (
    <div class="column narrow">
      <h1>{creating ? "Create an account" : "Sign in"}</h1>
      {failed !== null && <Notice kind="error">{providerErrors[failed] ?? "Signing in failed. Please try again."}</Notice>}
      {creating ? <SignUp key="new" /> : <SignIn key="known" />}
      <p class="quiet">
        {creating ? (
          <>
            Have an account already? <Link to="/login">Sign in</Link>
          </>
        ) : (
          <>
            New here? <Link to="/login?new">Create an account</Link>
          </>
        )}
      </p>
    </div>
  );
}

// Runs one attempt at a time and keeps its outcome for the form to show. Success leaves the page.
function useAttempt() {
  const busy = useSignal(false);
  const error = useSignal("");
  const attempt = async (event: SubmitEvent, action: (values: FormData) => Promise<void>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    busy.value = true;
    error.value = "";
    try {
      await action(values);
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, attempt };
}

const textOf = (values: FormData, name: string) => String(values.get(name) ?? "");

function SignIn() {
  const { busy, error, attempt } = useAttempt();
  const submit = (values: FormData) => account.signIn(textOf(values, "email").trim(), textOf(values, "password"));
  return (
    <form class="card" onSubmit={(event) => void attempt(event, submit)}>
      <Field label="E-mail" name="email" type="email" required autoFocus autocomplete="username" maxLength={254} />
      <Field label="Password" name="password" type="password" required autocomplete="current-password" />
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <button type="submit" class="primary wide" disabled={busy.value}>
        {busy.value ? "Signing in…" : "Sign in"}
      </button>
    </form>
  );
}

function SignUp() {
  const { busy, error, attempt } = useAttempt();
  const submit = (values: FormData) => {
    const person: Registration = { email: textOf(values, "email").trim(), password: textOf(values, "password") };
    const name = textOf(values, "name").trim();
    const referralCode = textOf(values, "referralCode").trim();
    const website = textOf(values, "website");
    if (name) person.name = name;
    if (referralCode) person.referralCode = referralCode;
    if (website) person.website = website;
    return account.signUp(person);
  };
  return (
    <form class="card" onSubmit={(event) => void attempt(event, submit)}>
      <Field label="Name (optional)" name="name" autoFocus autocomplete="name" maxLength={100} />
      <Field label="E-mail" name="email" type="email" required autocomplete="username" maxLength={254} />
      <Field
        label="Password"
        name="password"
        type="password"
        required
        minLength={8}
        maxLength={256}
        autocomplete="new-password"
        hint="At least 8 characters. A sentence is better than a word."
      />
      <Field label="Referral code (optional)" name="referralCode" autocomplete="off" maxLength={20} />
      <div class="unseen" aria-hidden="true">
        <label for="website">Leave this empty</label>
        <input id="website" name="website" tabIndex={-1} autocomplete="off" />
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <button type="submit" class="primary wide" disabled={busy.value}>
        {busy.value ? "Creating the account…" : "Create the account"}
      </button>
    </form>
  );
}
