import { effect, signal } from "@preact/signals";
import { render } from "preact";
import * as account from "./account";
import { sentence, sessionsEnded } from "./api/client";
import { rememberSession } from "./api/early";
import { followUser } from "./api/live";
import { loadLanguage, t } from "./app/i18n";
import { match } from "./app/pages";
import { go, location } from "./app/router";
import { Shell } from "./app/shell";
import { keepDrafts, restoreDrafts } from "./conversation";

const unreachable = signal("");
const texts = loadLanguage();

async function start() {
  unreachable.value = "";
  try {
    await account.refreshUser();
  } catch (error) {
    await texts.catch(() => undefined);
    unreachable.value = sentence(error);
  }
}

// Signed out people belong on /login, signed in ones not, unless a mail's link brought them to choose a new password.
effect(() => {
  if (account.user.value === undefined) return;
  const { pathname, search, searchParams } = location.value;
  const found = match(pathname);
  const isClosed = found !== undefined && found.page.access !== "all";
  // The link of a mail that verifies the address leads to the account, by way of the sign-in if need be; so does any
  // other page that needs a session.
  const token = searchParams.get("verify");
  const verifying = token === null ? "" : `?verify=${encodeURIComponent(token)}`;
  if (isClosed && !account.user.value) {
    const back = verifying || pathname === "/dashboard" ? "" : `?next=${encodeURIComponent(pathname + search)}`;
    go(`/login${verifying || back}`, { replace: true });
  }
  if (pathname === "/login" && account.user.value && !searchParams.has("reset"))
    go(verifying ? `/settings${verifying}` : next(searchParams.get("next")), { replace: true });
});

effect(() => {
  if (account.user.value) void import("./app/worker");
});

effect(() => {
  const { user, settings } = account;
  void settings.value;
  followUser(user.value?.id ?? "");
});

effect(() => {
  const id = account.user.value?.id;
  if (id) restoreDrafts(id);
});

effect(() => {
  if (sessionsEnded.value === 0) return;
  // Several requests may be refused at once: the first of them knows whose drafts these are.
  const was = account.user.peek()?.id;
  if (was) keepDrafts(was);
  rememberSession(false);
  account.user.value = null;
});

// Where a sign-in leads: only to pages of this console.
function next(wanted: string | null): string {
  if (!wanted?.startsWith("/") || wanted.startsWith("//") || wanted.includes("\\")) return "/dashboard";
  const found = match(new URL(wanted, window.location.href).pathname);
  return found && found.page.access !== "all" ? wanted : "/dashboard";
}

void start(); // asked for while the texts are on their way
await texts.catch(() => {
  // Without its texts the console cannot say so itself.
  document.getElementById("console")!.textContent = "The console could not be loaded. Please reload the page.";
  throw new Error(t("error.console"));
});
render(<App />, document.getElementById("console")!);

function App() {
  return <Shell unreachable={unreachable.value} onRetry={() => void start()} />;
}
