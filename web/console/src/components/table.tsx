import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { parameter, setParameter } from "../app/router";

export interface Column {
  title: string;
  align?: "end"; // numbers
  sort?: string; // the order of the list by this column, as the address names it; "-" in front of it turns it round
  hidden?: boolean; // its title is for screen readers alone
}

interface Props {
  title: string;
  columns: (string | Column)[];
  fixed?: boolean; // columns have the widths that the styles give them, whatever is in them
  class?: string;
  children: ComponentChildren; // its rows
}

const columnOf = (column: string | Column): Column => (typeof column === "string" ? { title: column } : column);

// A table that scrolls inside itself where the screen is too narrow for it. On a phone each row is a small card: its head,
// and its cells with the titles of their columns.
export function Table({ title, columns, fixed, class: extra = "", children }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const shown = columns.map(columnOf);
  // The titles for phones, and the sides of numbers.
  useLayoutEffect(() => {
    for (const row of body.current?.rows ?? [])
      [...row.cells].forEach((cell, at) => {
        const column = shown[at];
        if (!column) return;
        cell.dataset.title = column.title;
        cell.classList.toggle("end", column.align === "end");
      });
  });
  const now = parameter("sort");
  return (
    <div class={`scroll ${extra}`.trim()} tabIndex={0} role="region" aria-label={title}>
      <table class={fixed ? "fixed" : undefined}>
        <thead>
          <tr>
            {shown.map(({ title: name, align, sort, hidden }) => (
              <th
                key={name}
                scope="col"
                class={align}
                aria-sort={sort && now === sort ? "ascending" : sort && now === `-${sort}` ? "descending" : undefined}
              >
                {sort ? (
                  <button type="button" class="sort" onClick={() => setParameter("sort", now === `-${sort}` ? sort : `-${sort}`)}>
                    {name}
                  </button>
                ) : hidden ? (
                  <span class="unseen">{name}</span>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}

// The rows in the order that the address asks for, by the functions that columns name.
export function sorted<T>(rows: T[], by: Record<string, (row: T) => number | string>): T[] {
  const wanted = parameter("sort");
  const down = wanted.startsWith("-");
  const value = by[down ? wanted.slice(1) : wanted];
  if (!value) return rows;
  const compare = (a: T, b: T) => {
    const [x, y] = [value(a), value(b)];
    return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
  };
  return [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
}
