// The way to everything: sections, agents as they are now, administration, and the user's own menu. On a phone it is a
// drawer, and the five most used pages are a bar at the bottom.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as account from "../account";
import { agents, isRunning, isSettling, silent, watch } from "../agents";
import { sentence } from "../api/client";
import type { Agent } from "../api/types";
import { Avatar } from "../components/avatar";
import { Badge } from "../components/badge";
import { Icon, type IconName } from "../components/icon";
import { Link } from "../components/link";
import { Mark } from "../components/mark";
import { Menu } from "../components/menu";
import { forgetAll } from "../conversation";
import { type Key, named, t, tn } from "./i18n";
import { paletteOpen } from "./palette";
import { agentPath } from "./pages";
import { go, location } from "./router";
import { adminSections, isAdmin, learnFeatures, rowOf, type Section, sections } from "./sections";
import { shortcutsOpen } from "./shortcuts";
import { chooseTheme, theme, themes } from "./theme";

export const drawerOpen = signal(false);

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

export function Sidebar() {
  const here = location.value.pathname;
  const box = useRef<HTMLElement>(null);
  useEffect(watch, []);
  useEffect(() => void learnFeatures(), []);
  useEffect(() => void (drawerOpen.value = false), [location.value.href]);
  useEffect(() => {
    if (!drawerOpen.value) return;
    box.current?.querySelector<HTMLElement>("a[aria-current], a")?.focus();
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape") drawerOpen.value = false;
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [drawerOpen.value]);
  const administering = isAdmin(here);
  return (
    <aside ref={box} aria-label={t("nav.sidebar")} class={drawerOpen.value ? "sidebar open" : "sidebar"}>
      <Link to="/" class="brand">
        <Mark /> <span class="row-title">agentbox</span>
      </Link>
      <button type="button" class="search-button" onClick={() => (paletteOpen.value = true)}>
        <Icon name="search" /> <span class="row-title">{t("palette.button")}</span>{" "}
        <kbd class="row-title" aria-hidden="true">
          {t("palette.keys")}
        </kbd>
      </button>
      <nav class="side-nav" aria-label={t("shell.sections")}>
        {administering ? (
          <>
            <Row to="/dashboard" icon="back" title={t("nav.back")} />
            {adminSections().map((section, index) => (
              <Group key={index} section={section} />
            ))}
          </>
        ) : (
          <>
            {sections().map((section, index) => (
              <Group key={index} section={section} after={index === 0 && <Agents />} />
            ))}
          </>
        )}
      </nav>
      <div class="side-foot">
        {error.value && <span role="alert">{error.value}</span>}
        {!administering && account.maySee("support") && (
          <Row to="/admin" icon="admin" title={t("page.admin")} count={account.user.value?.isAdmin ? <Waiting /> : null} />
        )}
        <Self />
      </div>
    </aside>
  );
}

function Group({ section: { title, rows }, after }: { section: Section; after?: preact.ComponentChildren }) {
  const current = rowOf(location.value.pathname)?.row.to;
  return (
    <>
      <div class="side-group" role="group" aria-label={title && t(title)}>
        {title && (
          <p class="side-title" aria-hidden="true">
            {t(title)}
          </p>
        )}
        <ul>
          {rows.map(({ to, title: name, icon }) => (
            <li key={to}>
              <Row to={to} icon={icon} title={t(name)} current={to === current} count={to === "/admin/requests" ? <Waiting /> : null} />
            </li>
          ))}
        </ul>
      </div>
      {after}
    </>
  );
}

interface RowProps {
  to: string;
  icon: IconName;
  title: string;
  current?: boolean;
  count?: preact.ComponentChildren;
}

function Row({ to, icon, title, current = false, count }: RowProps) {
  return (
    <Link to={to} class="side-row" current={current} title={title}>
      <Icon name={icon} />
      <span class="row-title">{title}</span>
      {count}
    </Link>
  );
}

// Those shown without asking for all of them.
const most = 8;

// How many there were when the console was open last, so that nothing moves when they come.
const counted = "agentbox.agents";

const rank = (agent: Agent) => (agent.status === "error" ? 0 : isSettling(agent) ? 1 : isRunning(agent) ? 2 : 3);

function Agents() {
  const list = agents.value ?? [];
  useEffect(() => {
    if (agents.value) localStorage.setItem(counted, String(agents.value.length));
  }, [agents.value]);
  const here = location.value.pathname;
  const isHere = ({ id }: Agent) => here === agentPath(id) || here.startsWith(`${agentPath(id)}/`);
  const sorted = [...list].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  const shown = sorted.slice(0, most);
  const current = sorted.find(isHere);
  if (current && !shown.includes(current)) shown.push(current);
  return (
    <div class="side-group" role="group" aria-label={t("home.title")}>
      <p class="side-title">
        <span aria-hidden="true">{t("home.title")}</span>
        {account.mayProvision.value && (
          <Link to="/dashboard?new=agent" class="side-add" label={t("nav.new_agent")}>
            <Icon name="plus" />
          </Link>
        )}
      </p>
      <ul>
        {agents.value === undefined &&
          Array.from({ length: Math.min(Number(localStorage.getItem(counted) ?? 0), most) }, (_, at) => (
            <li key={at} class="side-row" aria-hidden="true" />
          ))}
        {shown.map((agent) => (
          <li key={agent.id}>
            <Link to={agentPath(agent.id)} class="side-row" current={isHere(agent)} title={agent.name}>
              <span class={`face ${toneOf(agent)}`}>
                <Avatar id={agent.id} name={agent.name} size="small" />
              </span>
              <bdi class="row-title">{agent.name}</bdi>
              <span class="unseen">{named("status", agent.status)}</span>
            </Link>
          </li>
        ))}
        {list.length > shown.length && (
          <li>
            <Row to="/dashboard" icon="agents" title={tn("nav.all_agents", list.length)} />
          </li>
        )}
      </ul>
    </div>
  );
}

function toneOf(agent: Agent) {
  if (isRunning(agent)) return silent.value.has(agent.id) ? "bad" : "good";
  return isSettling(agent) ? "busy" : agent.status === "stopped" ? "rest" : "bad";
}

// How many requests wait for the administrator. They are no events, so the box is asked again from time to time.
const nextLook = 60_000;

function Waiting() {
  useEffect(() => {
    const look = () => void (document.hidden || account.refreshRequests().catch(() => undefined));
    look();
    const timer = setInterval(look, nextLook);
    return () => clearInterval(timer);
  }, []);
  const count = account.waitingRequests.value;
  return count > 0 ? (
    <span class="count" title={tn("attention.requests", count)}>
      {count}
    </span>
  ) : null;
}

function Self() {
  const user = account.user.value!;
  return (
    <Menu
      label={t("nav.self", { name: user.name })}
      class="side-row self"
      head={
        <p class="menu-head">
          <bdi>{user.email}</bdi>
        </p>
      }
      items={[
        { title: t("page.account"), icon: "self", to: "/settings" },
        { title: t("page.keys"), icon: "key", to: "/usage/keys" },
        { title: t("page.providers"), icon: "agent", to: "/usage/providers" },
        { title: t("page.credentials"), icon: "key", to: "/credentials" },
        undefined,
        ...themes.map((one) => ({ title: t(`theme.${one}`), pressed: theme.value === one, run: () => chooseTheme(one) })),
        undefined,
        { title: t("shortcuts.title"), run: () => (shortcutsOpen.value = true) },
        { title: t("action.sign_out"), icon: "sign_out", run: () => void leave() },
      ]}
    >
      <Avatar id={user.id} name={user.name || user.email} size="small" />
      <span class="row-title who">
        <bdi>{user.name}</bdi>
      </span>
      {user.isAdmin && <Badge>{t("shell.admin")}</Badge>}
      {user.isSupport && !user.isAdmin && <Badge>{t("shell.support")}</Badge>}
    </Menu>
  );
}

const bar: [to: string, title: Key, icon: IconName][] = [
  ["/dashboard", "page.home", "home"],
  ["/chats", "nav.chats", "chat"],
  ["/fleet", "page.fleet", "map"],
  ["/usage", "page.usage", "chart"],
  ["/settings", "page.account", "self"],
];

// Within reach of a thumb.
export function BottomBar() {
  const here = location.value.pathname;
  const rows = account.maySee("support")
    ? bar.map((row) => (row[0] === "/fleet" ? (["/admin", "nav.admin", "admin"] as const) : row))
    : bar;
  const isHere = (to: string) => (isAdmin(here) ? to === "/admin" : to === here || rowOf(here)?.row.to === to);
  return (
    <nav class="bottom-bar" aria-label={t("nav.most_used")}>
      {rows.map(([to, title, icon]) => (
        <Link key={to} to={to} current={isHere(to)}>
          <Icon name={icon} size={20} />
          <span>{t(title)}</span>
        </Link>
      ))}
    </nav>
  );
}

// Where the page is: section, thing, page.
export function TopBar() {
  return (
    <div class="top-bar">
      <button
        type="button"
        class="ghost icon-only drawer-button"
        aria-label={t("nav.menu")}
        aria-expanded={drawerOpen.value}
        onClick={() => (drawerOpen.value = !drawerOpen.value)}
      >
        <Icon name="menu" size={20} />
      </button>
      <Crumbs />
      <button
        type="button"
        class="ghost icon-only drawer-button"
        aria-label={t("palette.title")}
        onClick={() => (paletteOpen.value = true)}
      >
        <Icon name="search" size={20} />
      </button>
    </div>
  );
}

interface Crumb {
  title: string;
  to?: string;
}

function crumbsOf(path: string): Crumb[] {
  const agent = /^\/agents\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  if (agent) {
    const id = decodeURIComponent(agent[1]!);
    const name = agents.value?.find((one) => one.id === id)?.name ?? "";
    const tab = agent[2];
    return [
      { title: t("home.title"), to: "/dashboard" },
      { title: name, ...(tab && { to: agentPath(id) }) },
      ...(tab ? [{ title: t(`page.${tab}` as Key) }] : []),
    ];
  }
  const found = rowOf(path);
  if (!found) return [];
  const { section, row } = found;
  const isAt = row.to === path;
  const head: Crumb[] = isAdmin(path) ? [{ title: t("page.admin"), to: "/admin" }] : section.title ? [{ title: t(section.title) }] : [];
  return [...head, { title: t(row.title), ...(!isAt && { to: row.to }) }];
}

function Crumbs() {
  const crumbs = crumbsOf(location.value.pathname);
  return (
    <nav class="crumbs" aria-label={t("nav.crumbs")}>
      <ol>
        {crumbs.map(({ title, to }, index) => (
          <li key={index}>
            {index > 0 && <Icon name="next" size={12} />}
            {to ? (
              <Link to={to}>
                <bdi>{title}</bdi>
              </Link>
            ) : (
              <bdi aria-current={index === crumbs.length - 1 ? "page" : undefined}>{title}</bdi>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
