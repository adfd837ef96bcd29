import { effect } from "@preact/signals";
import { render } from "preact";
import * as account from "./account";
import { Dashboard } from "./pages/dashboard";
import { Home } from "./pages/home";
import { Login } from "./pages/login";
import { SettingsPage } from "./pages/settings";
import { Masthead } from "./parts/masthead";
import { Notice } from "./parts/notice";
import { sentence } from "./api";
import { go, location } from "./router";
import { signal } from "@preact/signals";

const unreachable = signal("");

async function start() {
  unreachable.value = "";
  try {
    await account.refreshUser();
  } catch (error) {
    unreachable.value = sentence(error);
  }
}

// Signed out people belong on /login, signed in ones not, unless a mail's link brought them to choose a new password.
effect(() => {
  if (account.user.value === undefined) return;
  const page = location.value.pathname;
  const closed = page === "/dashboard" || page === "/settings";
  const resetting = location.value.searchParams.has("reset");
  // The link of a mail that verifies the address leads to the settings, by way of the sign-in if need be.
  const token = location.value.searchParams.get("verify");
  const verifying = token === null ? "" : `?verify=${encodeURIComponent(token)}`;
  if (closed && !account.user.value) go(`/login${verifying}`, { replace: true });
  if (page === "/login" && account.user.value && !resetting)
    go(verifying ? `/settings${verifying}` : "/dashboard", { replace: true });
});

function Console() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Masthead />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </>
  );
}

function Page() {
  if (unreachable.value) {
    return (
      <div class="column">
        <Notice kind="error">{unreachable.value}</Notice>
        <button type="button" class="primary" onClick={() => void start()}>
          Try again
        </button>
      </div>
    );
  }
  if (account.user.value === undefined) return null;
  switch (location.value.pathname) {
    case "/login":
      return <Login />;
    case "/dashboard":
      return account.user.value ? <Dashboard /> : null;
    case "/settings":
      return account.user.value ? <SettingsPage /> : null;
    default:
      return <Home />;
  }
}

render(<Console />, document.getElementById("console")!);
void start();
