import { signal } from "@preact/signals";
import * as account from "../account";
import { sentence } from "../api/client";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Link } from "../components/link";
import { Mark } from "../components/mark";
import { forgetAll } from "../conversation";
import { type Key, t } from "./i18n";
import { paletteOpen } from "./palette";
import { go, location } from "./router";

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

// Sections and the addresses that belong to them.
const sections: { to: string; title: Key; within: string[]; adminOnly?: boolean }[] = [
  { to: "/dashboard", title: "page.home", within: ["/dashboard", "/agents"] },
  { to: "/usage", title: "page.usage_billing", within: ["/usage"] },
  { to: "/settings", title: "page.account", within: ["/settings"] },
  { to: "/admin/audit", title: "page.admin", within: ["/admin"], adminOnly: true },
];

export function Masthead() {
  const user = account.user.value;
  const here = location.value.pathname;
  return (
    <header class="masthead">
      <Link to="/" class="brand">
        <Mark /> agentbox
      </Link>
      {user && (
        <nav class="sections" aria-label={t("shell.sections")}>
          {sections
            .filter(({ adminOnly }) => !adminOnly || user.isAdmin)
            .map(({ to, title, within }) => (
              <Link key={to} to={to} current={within.some((path) => here === path || here.startsWith(`${path}/`))}>
                {t(title)}
              </Link>
            ))}
        </nav>
      )}
      <div class="self">
        {error.value && <span role="alert">{error.value}</span>}
        {user && (
          <>
            <Button class="search" onClick={() => (paletteOpen.value = true)}>
              {t("palette.button")} <kbd aria-hidden="true">{t("palette.keys")}</kbd>
            </Button>
            <span class="who" title={user.email}>
              <bdi>{user.name}</bdi>
              {user.isAdmin && <Badge>{t("shell.admin")}</Badge>}
            </span>
            <Button onClick={() => void leave()}>{t("action.sign_out")}</Button>
          </>
        )}
        {user === null && here !== "/login" && (
          <Link to="/login" class="button">
            {t("action.sign_in")}
          </Link>
        )}
      </div>
    </header>
  );
}
