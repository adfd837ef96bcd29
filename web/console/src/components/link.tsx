import type { ComponentChildren } from "preact";
import { go } from "../app/router";

interface Props {
  to: string;
  class?: string;
  current?: boolean;
  label?: string; // for screen readers, where the content is not enough
  title?: string; // shown by browsers when it is pointed at
  copy?: string; // for styles that keep the room of a heavier text
  entry?: boolean; // of a list: the arrow keys move to it
  children: ComponentChildren;
}

// A real link (it can be copied and opened in a new tab) that does not reload the page.
export function Link({ to, class: className, current, label, title, copy, entry, children }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={to}
      class={className}
      aria-label={label}
      title={title}
      onClick={follow}
      aria-current={current ? "page" : undefined}
      data-title={copy}
      data-entry={entry}
    >
      {children}
    </a>
  );
}
