import type { ComponentChildren } from "preact";
import { type Key, t } from "../app/i18n";
import { location } from "../app/router";
import { Tabs } from "../components/tabs";

// Usage and its limits; the plan and what it costs; what programs and providers need. Each is a set of pages of its own.
const groups: { title: Key; pages: [string, Key][] }[] = [
  {
    title: "page.usage",
    pages: [
      ["/usage", "page.usage"],
      ["/usage/limits", "page.limits"],
    ],
  },
  {
    title: "page.billing",
    pages: [
      ["/usage/billing", "page.billing"],
      ["/usage/statements", "page.statements"],
    ],
  },
  {
    title: "page.access",
    pages: [
      ["/usage/keys", "page.keys"],
      ["/usage/providers", "page.providers"],
    ],
  },
  { title: "page.playground", pages: [["/playground", "page.playground"]] },
];

export function UsageFrame({ aside, children }: { aside?: ComponentChildren; children: ComponentChildren }) {
  const here = location.value.pathname;
  const { title, pages } = groups.find((group) => group.pages.some(([to]) => to === here)) ?? groups[0]!;
  return (
    <div class="column">
      <div class="page-head">
        <h1>{t(title)}</h1>
        {aside}
      </div>
      {pages.length > 1 && (
        <Tabs label={t("usage.pages")} tabs={pages.map(([to, name]) => ({ to, title: t(name), current: here === to }))} />
      )}
      {children}
    </div>
  );
}
