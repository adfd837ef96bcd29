import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { SectionTabs } from "./section_tabs";

const tabs = [
  ["/media", "page.streams"],
  ["/media/videos", "page.videos"],
] as const;

// The pages about sound and pictures, beside each other.
export function MediaFrame({ children }: { children: ComponentChildren }) {
  return (
    <div class="column">
      <h1>{t("page.media")}</h1>
      <SectionTabs label="media.pages" tabs={tabs} />
      {children}
    </div>
  );
}
