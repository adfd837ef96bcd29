// Search, order and filter of a list. All three are in the address, so that a view can be reloaded, kept and sent.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t, tn } from "../app/i18n";
import { parameter, setParameter } from "../app/router";
import { Button } from "./button";
import { EmptyState } from "./empty_state";
import { type Sorts, sorted } from "./table";

interface Choice {
  value: string;
  title: string;
}
export interface View<T> {
  text: (item: T) => string; // what the search looks at
  orders?: { value: string; title: string; compare: (a: T, b: T) => number }[]; // the first is the default
  sorts?: Sorts<T>; // of a table, whose heads sort it
  by?: string; // the default of those
  filter?: { title: string; choices: Choice[]; matches: (item: T, value: string) => boolean };
}

// The items that the address selects, in its order.
export function selected<T>(items: T[], { text, orders = [], sorts, by, filter }: View<T>): T[] {
  const words = parameter("q").toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const filtered = parameter("filter");
  const order = orders.find(({ value }) => value === parameter("sort")) ?? orders[0];
  const known = filter?.choices.some(({ value }) => value === filtered);
  const found = items.filter((item) => {
    const haystack = text(item).toLocaleLowerCase();
    return words.every((word) => haystack.includes(word)) && (!known || filter!.matches(item, filtered));
  });
  if (sorts) return sorted(found, sorts, by);
  return order ? found.sort(order.compare) : found;
}

interface Props<T> {
  items: T[];
  view: View<T>;
  label: string;
  children: (items: T[]) => ComponentChildren;
}

// A list with its tools. The keys / and Escape lead into the search and out of it; arrows move between its entries.
export function List<T>({ items, view, label, children }: Props<T>) {
  const search = useRef<HTMLInputElement>(null);
  const entries = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest("input, textarea, select, dialog")) return;
      event.preventDefault();
      search.current?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  const move = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if ((event.target as HTMLElement).closest("select, textarea")) return;
    const stops = [...(entries.current?.querySelectorAll<HTMLElement>("[data-entry]") ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    if (at < 0 && document.activeElement !== search.current) return;
    const next = event.key === "ArrowDown" ? at + 1 : at - 1;
    event.preventDefault();
    if (next < 0) search.current?.focus();
    else stops[Math.min(next, stops.length - 1)]?.focus();
  };
  const found = selected([...items], view);
  const { orders = [], filter } = view;
  return (
    <div class="list" onKeyDown={move}>
      <div class="list-tools" role="search" aria-label={label}>
        <input
          ref={search}
          type="search"
          aria-label={t("list.search")}
          placeholder={t("list.search")}
          value={parameter("q")}
          onInput={(event) => setParameter("q", event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setParameter("q", "");
            event.currentTarget.blur();
          }}
        />
        {filter && (
          <select
            aria-label={filter.title}
            value={parameter("filter")}
            onChange={(event) => setParameter("filter", event.currentTarget.value)}
          >
            <option value="">{t("list.all")}</option>
            {filter.choices.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
        {orders.length > 1 && (
          <select
            aria-label={t("list.sort")}
            value={parameter("sort") || orders[0]!.value}
            onChange={(event) => setParameter("sort", event.currentTarget.value === orders[0]!.value ? "" : event.currentTarget.value)}
          >
            {orders.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
        <span class="quiet" role="status">
          {found.length === items.length ? "" : tn("list.found", found.length)}
        </span>
      </div>
      <div ref={entries}>
        {found.length > 0 || items.length === 0 ? (
          children(found)
        ) : (
          <EmptyState title={t("list.nothing")} text={t("list.nothing_hint")}>
            <Button
              onClick={() => {
                setParameter("q", "");
                setParameter("filter", "");
              }}
            >
              {t("list.clear")}
            </Button>
          </EmptyState>
        )}
      </div>
    </div>
  );
}
