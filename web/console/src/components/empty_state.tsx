import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  text?: string;
  alert?: boolean; // something went wrong
  children?: ComponentChildren; // what can be done about it
}

// In the place of content that is not there: why, and what to do.
export function EmptyState({ title, text, alert, children }: Props) {
  return (
    <div class="empty" role={alert ? "alert" : undefined}>
      <h2>{title}</h2>
      {text && <p class="quiet">{text}</p>}
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
