import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { location } from "../app/router";
import { Icon, type IconName } from "./icon";
import { Link } from "./link";

export interface MenuItem {
  title: string;
  label?: string; // for screen readers, where the title does not say for what
  icon?: IconName;
  to?: string; // a page; otherwise `run` does something here
  run?: () => unknown;
  pressed?: boolean; // one of several choices, and the one in force
  disabled?: boolean;
}

interface Props {
  label?: string; // of the button, where its content is not enough
  items: (MenuItem | undefined)[]; // undefined: a line between two groups
  class?: string;
  disabled?: boolean;
  head?: ComponentChildren;
  children?: ComponentChildren; // of the button, instead of three dots
}

// Pixels between the button, its list and the edges of the window.
const gap = 4;

// Beside the button, within the window: below it and in line with its end, unless there is no room.
function place(list: HTMLElement, button: HTMLElement) {
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = from.bottom + gap;
  const top = below + height <= window.innerHeight ? below : Math.max(gap, from.top - gap - height);
  const left = from.left + width <= window.innerWidth - gap ? from.left : from.right - width;
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(gap, left)}px`;
}

// A list of actions and pages that opens beside its button. It closes when one is chosen, on Escape, when the focus leaves
// it, and when what is beneath it is scrolled.
export function Menu({ label, items, class: extra = "", disabled = false, head, children }: Props) {
  const open = useSignal(false);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const here = location.value.href;
  useEffect(() => void (open.value = false), [here]);
  useLayoutEffect(() => {
    if (!open.value) return;
    const [button, list] = [...box.current!.children] as HTMLElement[];
    place(list!, button!);
    list!.querySelector<HTMLElement>("a, button:not(:disabled)")?.focus({ preventScroll: true });
    const close = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) open.value = false;
    };
    for (const name of ["pointerdown", "focusin", "scroll"]) document.addEventListener(name, close, true);
    return () => {
      for (const name of ["pointerdown", "focusin", "scroll"]) document.removeEventListener(name, close, true);
    };
  }, [open.value]);
  const onKey = (event: KeyboardEvent) => {
    if (!open.value) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      open.value = false;
      box.current?.querySelector("button")?.focus();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const stops = [...box.current!.querySelectorAll<HTMLElement>("ul a, ul button:not(:disabled)")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops.at((at + (event.key === "ArrowDown" ? 1 : -1)) % stops.length)?.focus();
  };
  return (
    <div ref={box} class="menu" onKeyDown={onKey}>
      <button
        type="button"
        class={children ? extra : `ghost icon-only ${extra}`.trim()}
        aria-label={children && !extra.includes("icon-only") ? undefined : label}
        title={label}
        aria-expanded={open.value}
        aria-controls={id}
        disabled={disabled}
        onClick={() => (open.value = !open.value)}
      >
        {children ?? <Icon name="more" />}
      </button>
      <div id={id} class="menu-list" hidden={!open.value}>
        {open.value && head}
        <ul>
          {open.value &&
            items.map((item, index) =>
              item === undefined ? (
                <li key={index} class="menu-line" />
              ) : (
                <li key={item.title}>
                  {item.to ? (
                    <Link to={item.to}>
                      {item.icon && <Icon name={item.icon} />}
                      <span>{item.title}</span>
                    </Link>
                  ) : (
                    <button
                      type="button"
                      aria-label={item.label}
                      aria-pressed={item.pressed}
                      disabled={item.disabled}
                      onClick={() => {
                        open.value = false;
                        box.current?.querySelector("button")?.focus();
                        item.run?.();
                      }}
                    >
                      {item.icon && <Icon name={item.icon} />}
                      <span>{item.title}</span>
                    </button>
                  )}
                </li>
              ),
            )}
        </ul>
      </div>
    </div>
  );
}
