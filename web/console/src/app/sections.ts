// The sections of the console and their pages, as the sidebar and the breadcrumbs show them.
import { signal } from "@preact/signals";
import * as account from "../account";
import { call } from "../api/client";
import type { IconName } from "../components/icon";
import type { Key } from "./i18n";
import { match } from "./pages";

export interface Row {
  to: string;
  title: Key;
  icon: IconName;
  within?: string[]; // addresses that belong to it, besides its own and those below
}
export interface Section {
  title?: Key;
  rows: Row[];
}

// Whether streams can be sent from this box; undefined: not known yet.
export const streaming = signal<boolean | undefined>(undefined);

// Whether agents of others are shared with the user.
export const hasShared = signal(false);

// Whether agents are containers here, so that they can be made of images of other makers; undefined: not known yet.
export const hasImages = signal<boolean | undefined>(undefined);

async function learnImages() {
  if (hasImages.peek() !== undefined) return;
  hasImages.value = false;
  try {
    hasImages.value = (await call("GET /api/images")).available;
  } catch {
    hasImages.value = undefined;
  }
}

export async function learnFeatures() {
  void learnImages();
  call("GET /api/shared").then(
    ({ count }) => (hasShared.value = count > 0),
    () => undefined,
  );
  if (streaming.peek() !== undefined) return;
  streaming.value = false;
  try {
    streaming.value = (await call("GET /api/streams")).configured;
  } catch {
    streaming.value = undefined;
  }
}

const top = (): Section => ({
  rows: [
    { to: "/dashboard", title: "page.home", icon: "home" },
    { to: "/chats", title: "page.chats", icon: "chat" },
    { to: "/asks", title: "page.asks", icon: "check", within: ["/ask"] },
    ...(hasShared.value ? [{ to: "/shared", title: "page.shared" as const, icon: "users" as const }] : []),
  ],
});

const work = (): Section => ({
  title: "nav.work",
  rows: [
    { to: "/fleet/swarms", title: "page.swarms", icon: "swarm" },
    { to: "/schedules", title: "page.schedules", icon: "schedule" },
    { to: "/skills", title: "page.skills", icon: "skills" },
    ...(hasImages.value ? [{ to: "/images", title: "page.images" as const, icon: "archive" as const }] : []),
    { to: "/templates", title: "page.templates", icon: "template" },
    { to: "/feeds", title: "page.feeds", icon: "feed" },
    { to: streaming.value ? "/media" : "/media/videos", title: "page.media", icon: "radio", within: ["/media"] },
    { to: "/playground", title: "page.playground", icon: "playground" },
  ],
});

const insight: Section = {
  title: "nav.insight",
  rows: [
    { to: "/usage", title: "page.usage", icon: "chart", within: ["/usage/limits"] },
    { to: "/fleet/traces", title: "page.traces", icon: "traces" },
    {
      to: "/fleet",
      title: "page.fleet",
      icon: "map",
      within: ["/fleet/costs", "/fleet/bookings", "/fleet/messages", "/fleet/dead-letters"],
    },
  ],
};

const money: Section = {
  title: "nav.money",
  rows: [
    { to: "/wallet", title: "page.wallet", icon: "wallet", within: ["/wallet/"] },
    { to: "/usage/billing", title: "page.plan", icon: "receipt", within: ["/usage/statements"] },
  ],
};

export const sections = (): Section[] => [top(), work(), insight, money];

const admin: Section[] = [
  { rows: [{ to: "/admin", title: "page.overview", icon: "home" }] },
  {
    title: "admin.people",
    rows: [
      { to: "/admin/users", title: "page.users", icon: "users", within: ["/admin/referrals"] },
      { to: "/admin/requests", title: "page.requests", icon: "inbox" },
      { to: "/admin/invitations", title: "page.invitations", icon: "ticket" },
      { to: "/admin/groups", title: "page.groups", icon: "agents" },
      { to: "/admin/outbox", title: "page.outbox", icon: "mail" },
    ],
  },
  {
    title: "admin.work",
    rows: [
      { to: "/admin/agents", title: "page.all_agents", icon: "agents" },
      { to: "/admin/plans", title: "page.plans", icon: "receipt" },
      { to: "/admin/models", title: "page.models", icon: "agent" },
      { to: "/admin/images", title: "page.image_catalogue", icon: "archive" },
    ],
  },
  {
    title: "admin.network",
    rows: [
      { to: "/admin/channels", title: "page.all_channels", icon: "chat" },
      { to: "/admin/egress", title: "page.egress", icon: "globe" },
      { to: "/admin/git", title: "page.git_hosts", icon: "git" },
    ],
  },
  {
    title: "admin.box",
    rows: [
      { to: "/admin/settings", title: "page.box_settings", icon: "settings" },
      { to: "/admin/backups", title: "page.backups", icon: "backup" },
      { to: "/admin/standby", title: "page.standby", icon: "copy" },
      { to: "/admin/keys", title: "page.operator_keys", icon: "key" },
    ],
  },
  {
    title: "admin.records",
    rows: [
      { to: "/admin/audit", title: "page.audit", icon: "log" },
      { to: "/admin/events", title: "page.events", icon: "alert" },
      { to: "/admin/metrics", title: "page.metrics", icon: "activity" },
    ],
  },
];

const isOffered = (to: string) => account.maySee(match(to)?.page.access ?? "admin") && (to !== "/admin/images" || hasImages.value);

// Those pages of administration that this user may see.
export const adminSections = (): Section[] =>
  admin.map(({ rows, ...section }) => ({ ...section, rows: rows.filter(({ to }) => isOffered(to)) })).filter(({ rows }) => rows.length > 0);

export const isAdmin = (path: string) => path === "/admin" || path.startsWith("/admin/");

// The row that an address belongs to: the one with the longest of its addresses that the path begins with.
export function rowOf(path: string): { section: Section; row: Row } | undefined {
  let best: { section: Section; row: Row } | undefined;
  let longest = 0;
  for (const section of isAdmin(path) ? admin : sections())
    for (const row of section.rows)
      for (const own of [row.to, ...(row.within ?? [])]) {
        const isWithin = path === own || path.startsWith(own.endsWith("/") ? own : `${own}/`);
        if (isWithin && own.length > longest) {
          best = { section, row };
          longest = own.length;
        }
      }
  return best;
}
