import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { location } from "../app/router";
import { Tabs } from "../components/tabs";

const tabs = [
  ["/usage", "page.usage"],
  ["/usage/billing", "page.billing"],
  ["/usage/statements", "page.statements"],
  ["/usage/limits", "page.limits"],
  ["/usage/keys", "page.keys"],
  ["/usage/providers", "page.providers"],
  ["/playground", "page.playground"],
] as const;

// The pages about usage, limits and keys, beside each other.
export function UsageFrame({ children }: { children: ComponentChildren }) {
  const here = location.value.pathname;
  return (
    <div class="column">
      <h1>{t("page.usage_billing")}</h1>
      <Tabs label={t("usage.pages")} tabs={tabs.map(([to, title]) => ({ to, title: t(title), current: here === to }))} />
      {children}
    </div>
  );
}
