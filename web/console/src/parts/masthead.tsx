import { signal } from "@preact/signals";
import * as account from "../account";
import { sentence } from "../api";
import { forgetAll } from "../conversation";
import { go, location } from "../router";
import { Link } from "./link";
import { Mark } from "./mark";

const error = signal("");

async function leave() {
  error.value = "";
  try {
    await account.signOut();
    forgetAll();
    go("/");
  } catch (cause) {
    error.value = sentence(cause);
  }
}

export function Masthead() {
  const user = account.user.value;
  const page = location.value.pathname;
  return (
    <header class="masthead">
      <Link to="/" class="brand">
        <Mark /> agentbox
      </Link>
      <nav aria-label="Console">
        {error.value && <span role="alert">{error.value}</span>}
        {user && page !== "/dashboard" && <Link to="/dashboard">Dashboard</Link>}
        {user && page !== "/settings" && <Link to="/settings">Settings</Link>}
        {user && (
          <>
            <span class="who" title={user.email}>
              {user.name}
              {user.isAdmin && <span class="badge">admin</span>}
            </span>
            <button type="button" onClick={() => void leave()}>
              Sign out
            </button>
          </>
        )}
        {user === null && page !== "/login" && (
          <Link to="/login" class="button">
            Sign in
          </Link>
        )}
      </nav>
    </header>
  );
}
