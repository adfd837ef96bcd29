import type { ComponentChildren } from "preact";

interface Props {
  kind?: "plain" | "primary" | "danger" | "ghost";
  label?: string; // for screen readers, where the content is not enough
  title?: string | undefined; // shown by browsers when it is pointed at
  class?: string;
  disabled?: boolean;
  pressed?: boolean;
  autoFocus?: boolean;
  onClick: () => void;
  children: ComponentChildren;
}

// Does something on this page. What leads to another page is a Link.
export function Button({ kind = "plain", label, title, class: extra = "", disabled, pressed, autoFocus, onClick, children }: Props) {
  return (
    <button
      type="button"
      class={`${kind === "plain" ? "" : kind} ${extra}`.trim() || undefined}
      aria-label={label}
      title={title}
      aria-pressed={pressed}
      disabled={disabled}
      autoFocus={autoFocus}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
