import * as account from "../account";
import { textOf, useAttempt } from "../attempt";
import type { Registration } from "../wire";
import { Field } from "./field";
import { NewPasswordField } from "./new_password_field";
import { Notice } from "./notice";

export function SignUp() {
  const { busy, error, submit } = useAttempt();
  const create = (values: FormData) => {
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
    <form class="card" onSubmit={(event) => void submit(event, create)}>
      <Field label="Name (optional)" name="name" autoFocus autocomplete="name" maxLength={100} />
      <Field label="E-mail" name="email" type="email" required autocomplete="username" maxLength={254} />
      <NewPasswordField label="Password" />
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
