import { signal, useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
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
interface Section {
  to: string;
  title: Key;
  within: string[];
  adminOnly?: boolean;
}
const sections: Section[] = [
  { to: "/dashboard", title: "page.home", within: ["/dashboard", "/agents"] },
  { to: "/fleet", title: "page.fleet", within: ["/fleet"] },
  { to: "/usage", title: "page.usage_billing", within: ["/usage", "/playground"] },
  { to: "/settings", title: "page.account", within: ["/settings"] },
  { to: "/admin/users", title: "page.admin", within: ["/admin"], adminOnly: true },
];

// Those that are one step further away, so that the bar fits a phone.
const more: Section[] = [
  { to: "/wallet", title: "page.wallet", within: ["/wallet"] },
  { to: "/skills", title: "page.skills", within: ["/skills"] },
  { to: "/feeds", title: "page.feeds", within: ["/feeds"] },
  { to: "/media", title: "page.media", within: ["/media"] },
];

const isWithin = ({ within }: Section) => {
  const here = location.value.pathname;
  return within.some((path) => here === path || here.startsWith(`${path}/`));
};

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
            .map((section) => (
              <Link key={section.to} to={section.to} current={isWithin(section)}>
                {t(section.title)}
              </Link>
            ))}
          <MoreSections />
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

// A list that opens below its button. It closes when a page is chosen, on Escape, and when the focus leaves it.
function MoreSections() {
  const open = useSignal(false);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const here = location.value.pathname;
  const current = more.find(isWithin);
  useEffect(() => void (open.value = false), [here]);
  useEffect(() => {
    if (!open.value) return;
    const close = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) open.value = false;
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("focusin", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("focusin", close);
    };
  }, [open.value]);
  return (
    <div
      ref={box}
      class="more"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open.value) return;
        open.value = false;
        box.current?.querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        class={current ? "within" : undefined}
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => (open.value = !open.value)}
      >
        {current ? t(current.title) : t("shell.more")} <span aria-hidden="true">▾</span>
      </button>
      <ul id={id} hidden={!open.value}>
        {more.map((section) => (
          <li key={section.to}>
            <Link to={section.to} current={isWithin(section)}>
              {t(section.title)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
