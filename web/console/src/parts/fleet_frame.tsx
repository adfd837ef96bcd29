import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { SectionTabs } from "./section_tabs";

const tabs = [
  ["/fleet", "page.graph"],
  ["/fleet/traces", "page.traces"],
  ["/fleet/costs", "page.costs"],
  ["/fleet/bookings", "page.bookings"],
  ["/fleet/swarms", "page.swarms"],
  ["/fleet/messages", "page.messages"],
  ["/fleet/dead-letters", "page.dead_letters"],
] as const;

// The pages about what the agents do together, beside each other.
export function FleetFrame({ children }: { children: ComponentChildren }) {
  return (
    <div class="column">
      <h1>{t("page.fleet")}</h1>
      <SectionTabs label="fleet.pages" tabs={tabs} />
      {children}
    </div>
  );
}
