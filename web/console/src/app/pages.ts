// The pages of the console by address. Each is loaded when it is first shown.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { type Key, loadTexts } from "./i18n";

declare const TEXTS_OF_PAGE: Record<string, string>; // files of texts that pages need, by their paths

export interface PageProps {
  id: string; // what the address names: an agent on its pages, a trace, a swarm; else empty
}
type Module = { default: ComponentType<PageProps> };

export interface Page {
  path: string; // with :id for what the page is about
  title: Key;
  access: "all" | "session" | "support" | "admin"; // support: for admins, too
  load: () => Promise<Module>;
}

export const pages: Page[] = [
  { path: "/", title: "page.welcome", access: "all", load: () => import("../pages/welcome") },
  { path: "/login", title: "page.sign_in", access: "all", load: () => import("../pages/login") },
  { path: "/dashboard", title: "page.home", access: "session", load: () => import("../pages/home") },
  { path: "/chats", title: "page.chats", access: "session", load: () => import("../pages/chats") },
  { path: "/shared", title: "page.shared", access: "session", load: () => import("../pages/shared/list") },
  { path: "/shared/:id", title: "page.shared", access: "session", load: () => import("../pages/shared/agent") },
  { path: "/shared/:id/files", title: "page.files", access: "session", load: () => import("../pages/shared/files") },
  { path: "/shared/:id/schedule", title: "page.schedule", access: "session", load: () => import("../pages/shared/schedule") },
  { path: "/shared/:id/settings", title: "page.settings", access: "session", load: () => import("../pages/shared/settings") },
  { path: "/templates", title: "page.templates", access: "session", load: () => import("../pages/templates/list") },
  { path: "/schedules", title: "page.schedules", access: "session", load: () => import("../pages/schedules") },
  { path: "/usage", title: "page.usage", access: "session", load: () => import("../pages/usage/overview") },
  { path: "/usage/limits", title: "page.limits", access: "session", load: () => import("../pages/usage/limits") },
  { path: "/usage/keys", title: "page.keys", access: "session", load: () => import("../pages/usage/keys") },
  { path: "/usage/providers", title: "page.providers", access: "session", load: () => import("../pages/usage/providers") },
  { path: "/playground", title: "page.playground", access: "session", load: () => import("../pages/playground") },
  { path: "/status", title: "page.status", access: "all", load: () => import("../pages/status") },
  { path: "/usage/billing", title: "page.billing", access: "session", load: () => import("../pages/usage/billing") },
  { path: "/usage/statements", title: "page.statements", access: "session", load: () => import("../pages/usage/statements") },
  { path: "/fleet", title: "page.fleet", access: "session", load: () => import("../pages/fleet/graph") },
  { path: "/fleet/traces", title: "page.traces", access: "session", load: () => import("../pages/fleet/traces") },
  { path: "/fleet/traces/:id", title: "page.trace", access: "session", load: () => import("../pages/fleet/trace") },
  { path: "/fleet/costs", title: "page.costs", access: "session", load: () => import("../pages/fleet/costs") },
  { path: "/fleet/bookings", title: "page.bookings", access: "session", load: () => import("../pages/fleet/bookings") },
  { path: "/fleet/swarms", title: "page.swarms", access: "session", load: () => import("../pages/fleet/swarms") },
  { path: "/fleet/swarms/:id", title: "page.swarm", access: "session", load: () => import("../pages/fleet/swarm") },
  { path: "/fleet/messages", title: "page.messages", access: "session", load: () => import("../pages/fleet/messages") },
  { path: "/fleet/dead-letters", title: "page.dead_letters", access: "session", load: () => import("../pages/fleet/dead_letters") },
  { path: "/wallet", title: "page.wallet", access: "session", load: () => import("../pages/wallet/overview") },
  { path: "/wallet/transfers", title: "page.transfers", access: "session", load: () => import("../pages/wallet/transfers") },
  { path: "/wallet/rules", title: "page.rules", access: "session", load: () => import("../pages/wallet/rules") },
  { path: "/wallet/splits", title: "page.splits", access: "session", load: () => import("../pages/wallet/splits") },
  { path: "/skills", title: "page.skills", access: "session", load: () => import("../pages/skills/catalogue") },
  { path: "/skills/:id", title: "page.skill", access: "session", load: () => import("../pages/skills/skill") },
  { path: "/images", title: "page.images", access: "session", load: () => import("../pages/images") },
  { path: "/feeds", title: "page.feeds", access: "session", load: () => import("../pages/feeds/list") },
  { path: "/feeds/:id", title: "page.feed", access: "session", load: () => import("../pages/feeds/feed") },
  { path: "/media", title: "page.streams", access: "session", load: () => import("../pages/media/streams") },
  { path: "/media/videos", title: "page.videos", access: "session", load: () => import("../pages/media/videos") },
  { path: "/oauth/authorize", title: "page.consent", access: "session", load: () => import("../pages/consent") },
  { path: "/asks", title: "page.asks", access: "session", load: () => import("../pages/asks") },
  { path: "/credentials", title: "page.credentials", access: "session", load: () => import("../pages/credentials") },
  { path: "/ask", title: "page.ask", access: "all", load: () => import("../pages/ask") },
  { path: "/settings", title: "page.account", access: "session", load: () => import("../pages/account") },
  { path: "/settings/notifications", title: "page.notifications", access: "session", load: () => import("../pages/notifications") },
  { path: "/admin", title: "page.overview", access: "support", load: () => import("../pages/admin/overview") },
  { path: "/admin/users", title: "page.users", access: "support", load: () => import("../pages/admin/users") },
  { path: "/admin/requests", title: "page.requests", access: "admin", load: () => import("../pages/admin/requests") },
  { path: "/admin/referrals", title: "page.referrals", access: "admin", load: () => import("../pages/admin/referrals") },
  { path: "/admin/invitations", title: "page.invitations", access: "admin", load: () => import("../pages/admin/invitations") },
  { path: "/admin/groups", title: "page.groups", access: "admin", load: () => import("../pages/admin/groups") },
  { path: "/admin/outbox", title: "page.outbox", access: "admin", load: () => import("../pages/admin/outbox") },
  { path: "/admin/agents", title: "page.all_agents", access: "support", load: () => import("../pages/admin/agents") },
  { path: "/admin/models", title: "page.models", access: "admin", load: () => import("../pages/admin/models") },
  { path: "/admin/images", title: "page.image_catalogue", access: "admin", load: () => import("../pages/admin/images") },
  { path: "/admin/plans", title: "page.plans", access: "admin", load: () => import("../pages/admin/plans") },
  { path: "/admin/settings", title: "page.box_settings", access: "admin", load: () => import("../pages/admin/settings") },
  { path: "/admin/metrics", title: "page.metrics", access: "support", load: () => import("../pages/admin/metrics") },
  { path: "/admin/standby", title: "page.standby", access: "admin", load: () => import("../pages/admin/standby") },
  { path: "/admin/backups", title: "page.backups", access: "admin", load: () => import("../pages/admin/backups") },
  { path: "/admin/keys", title: "page.operator_keys", access: "admin", load: () => import("../pages/admin/keys") },
  { path: "/admin/channels", title: "page.all_channels", access: "admin", load: () => import("../pages/admin/channels") },
  { path: "/admin/git", title: "page.git_hosts", access: "admin", load: () => import("../pages/admin/git") },
  { path: "/admin/audit", title: "page.audit", access: "admin", load: () => import("../pages/admin/audit") },
  { path: "/admin/events", title: "page.events", access: "support", load: () => import("../pages/admin/events") },
  { path: "/admin/egress", title: "page.egress", access: "admin", load: () => import("../pages/admin/egress") },
  { path: "/agents/:id", title: "page.conversation", access: "session", load: () => import("../pages/agent/conversation") },
  { path: "/agents/:id/files", title: "page.files", access: "session", load: () => import("../pages/agent/files") },
  { path: "/agents/:id/logs", title: "page.logs", access: "session", load: () => import("../pages/agent/logs") },
  { path: "/agents/:id/memory", title: "page.memory", access: "session", load: () => import("../pages/agent/memory") },
  { path: "/agents/:id/schedule", title: "page.schedule", access: "session", load: () => import("../pages/agent/schedule") },
  { path: "/agents/:id/channels", title: "page.channels", access: "session", load: () => import("../pages/agent/channels") },
  { path: "/agents/:id/usage", title: "page.usage", access: "session", load: () => import("../pages/agent/usage") },
  { path: "/agents/:id/health", title: "page.health", access: "session", load: () => import("../pages/agent/health") },
  { path: "/agents/:id/browser", title: "page.browser", access: "session", load: () => import("../pages/agent/browser") },
  { path: "/agents/:id/terminal", title: "page.terminal", access: "session", load: () => import("../pages/agent/terminal") },
  { path: "/agents/:id/sharing", title: "page.sharing", access: "session", load: () => import("../pages/agent/sharing") },
  { path: "/agents/:id/settings", title: "page.settings", access: "session", load: () => import("../pages/agent/settings") },
];

export function match(pathname: string): { page: Page; id: string } | undefined {
  const steps = pathname.split("/");
  const fits = (pattern: string[]) =>
    pattern.length === steps.length && pattern.every((step, at) => step === steps[at] || (step === ":id" && steps[at] !== ""));
  // An address without a name comes before a pattern that would take it for one: rows are in that order.
  const page = pages.find(({ path }) => fits(path.split("/")));
  const at = page?.path.split("/").indexOf(":id") ?? -1;
  return page && { page, id: at < 0 ? "" : decoded(steps[at]!) };
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

export const agentPath = (id: string, tab = "") => `/agents/${encodeURIComponent(id)}${tab && `/${tab}`}`;

export const sharedPath = (id: string, tab = "") => `/shared/${encodeURIComponent(id)}${tab && `/${tab}`}`;

// The code of pages that have been loaded. A page that cannot be loaded is in `failed` until it is tried again: the box
// may have been updated, and has other files now.
const loaded = signal(new Map<Page, Module>());
export const failed = signal<Page | undefined>(undefined);

export function component(page: Page): ComponentType<PageProps> | undefined {
  const found = loaded.value.get(page);
  if (!found && failed.value !== page) void load(page);
  return found?.default;
}

async function load(page: Page) {
  try {
    const texts = TEXTS_OF_PAGE[page.path];
    const [module] = await Promise.all([page.load(), texts && loadTexts(texts)]);
    if (!loaded.peek().has(page)) loaded.value = new Map(loaded.peek()).set(page, module);
  } catch {
    failed.value = page;
  }
}
