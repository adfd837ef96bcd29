// The pages of the console by address. Each is loaded when it is first shown.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { Key } from "./i18n";

export interface PageProps {
  id: string; // of the agent, on its pages; else empty
}
type Module = { default: ComponentType<PageProps> };

export interface Page {
  path: string; // with :id for the agent
  title: Key;
  access: "all" | "session" | "admin";
  load: () => Promise<Module>;
}

export const pages: Page[] = [
  { path: "/", title: "page.welcome", access: "all", load: () => import("../pages/welcome") },
  { path: "/login", title: "page.sign_in", access: "all", load: () => import("../pages/login") },
  { path: "/dashboard", title: "page.home", access: "session", load: () => import("../pages/home") },
  { path: "/usage", title: "page.usage", access: "session", load: () => import("../pages/usage/overview") },
  { path: "/usage/limits", title: "page.limits", access: "session", load: () => import("../pages/usage/limits") },
  { path: "/usage/keys", title: "page.keys", access: "session", load: () => import("../pages/usage/keys") },
  { path: "/usage/providers", title: "page.providers", access: "session", load: () => import("../pages/usage/providers") },
  { path: "/settings", title: "page.account", access: "session", load: () => import("../pages/account") },
  { path: "/admin/audit", title: "page.audit", access: "admin", load: () => import("../pages/admin/audit") },
  { path: "/admin/events", title: "page.events", access: "admin", load: () => import("../pages/admin/events") },
  { path: "/agents/:id", title: "page.conversation", access: "session", load: () => import("../pages/agent/conversation") },
  { path: "/agents/:id/logs", title: "page.logs", access: "session", load: () => import("../pages/agent/logs") },
  { path: "/agents/:id/memory", title: "page.memory", access: "session", load: () => import("../pages/agent/memory") },
  { path: "/agents/:id/schedule", title: "page.schedule", access: "session", load: () => import("../pages/agent/schedule") },
  { path: "/agents/:id/usage", title: "page.usage", access: "session", load: () => import("../pages/agent/usage") },
  { path: "/agents/:id/health", title: "page.health", access: "session", load: () => import("../pages/agent/health") },
  { path: "/agents/:id/settings", title: "page.settings", access: "session", load: () => import("../pages/agent/settings") },
];

export function match(pathname: string): { page: Page; id: string } | undefined {
  const [, id] = /^\/agents\/([^/]+)/.exec(pathname) ?? [];
  const pattern = id ? pathname.replace(`/agents/${id}`, "/agents/:id") : pathname;
  const page = pages.find(({ path }) => path === pattern);
  return page && { page, id: id ? decodeURIComponent(id) : "" };
}

export const agentPath = (id: string, tab = "") => `/agents/${encodeURIComponent(id)}${tab && `/${tab}`}`;

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
    const module = await page.load();
    if (!loaded.peek().has(page)) loaded.value = new Map(loaded.peek()).set(page, module);
  } catch {
    failed.value = page;
  }
}
