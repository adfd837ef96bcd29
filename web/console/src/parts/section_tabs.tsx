import { type Key, t } from "../app/i18n";
import { location } from "../app/router";
import { Tabs } from "../components/tabs";

// The pages of one section beside each other. A page below another (/fleet/swarms/…) belongs to its tab.
export function SectionTabs({ label, tabs }: { label: Key; tabs: readonly (readonly [to: string, title: Key])[] }) {
  const here = location.value.pathname;
  const current = tabs.findLast(([to]) => here === to || here.startsWith(`${to}/`))?.[0];
  return <Tabs label={t(label)} tabs={tabs.map(([to, title]) => ({ to, title: t(title), current: to === current }))} />;
}
