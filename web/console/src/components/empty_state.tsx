import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";

interface Props {
  title: string;
  text?: string;
  alert?: boolean; // something went wrong
  isPage?: boolean; // it is all that the page has
  children?: ComponentChildren; // what can be done about it
}

// In the place of content that is not there: why, and what to do.
export function EmptyState({ title, text, alert, isPage, children }: Props) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div class="empty" role={alert ? "alert" : undefined}>
      <Heading>{title}</Heading>
      {text && <p class="quiet">{text}</p>}
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

// In the place of content that is on its way: lines of about its height, and the word for screen readers.
export function Loading({ isPage }: { isPage?: boolean }) {
  return (
    <p class={isPage ? "column skeleton" : "skeleton"}>
      <span class="unseen">{t("state.loading")}</span>
    </p>
  );
}
