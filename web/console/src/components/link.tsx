import type { ComponentChildren } from "preact";
import { go } from "../app/router";

interface Props {
  to: string;
  class?: string;
  current?: boolean;
  entry?: boolean; // of a list: the arrow keys move to it
  children: ComponentChildren;
}

// A real link (it can be copied and opened in a new tab) that does not reload the page.
export function Link({ to, class: className, current, entry, children }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} class={className} onClick={follow} aria-current={current ? "page" : undefined} data-entry={entry}>
      {children}
    </a>
  );
}
