import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../app/i18n";
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
  by?: string; // the order of its rows while the address names none
  fixed?: boolean; // columns have the widths that the styles give them, whatever is in them
  class?: string;
  children: ComponentChildren; // its rows
}

const columnOf = (column: string | Column): Column => (typeof column === "string" ? { title: column } : column);

// A table that scrolls inside itself where the screen is too narrow for it. On a phone each row is a small card: its head,
// and its cells with the titles of their columns.
export function Table({ title, columns, by = "", fixed, class: extra = "", children }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const shown = columns.map(columnOf);
  // The titles for phones, and the sides of numbers.
  useLayoutEffect(() => {
    for (const row of body.current?.rows ?? [])
      [...row.cells].forEach((cell, at) => {
        const column = shown[at];
        if (!column) return;
        if (!column.hidden) cell.dataset.title = column.title;
        cell.classList.toggle("end", column.align === "end");
      });
  });
  const sorts = shown.filter(({ sort }) => sort);
  const asked = parameter("sort");
  const now = sorts.some(({ sort }) => asked === sort || asked === `-${sort}`) ? asked : by;
  const turn = ({ sort, align }: Column) => {
    const [up, down] = [sort!, `-${sort}`];
    return now === up ? down : now === down ? up : align ? down : up;
  };
  return (
    <>
      {sorts.length > 0 && (
        <select
          class="table-order"
          aria-label={t("list.sort")}
          value={now}
          onChange={(event) => setParameter("sort", event.currentTarget.value)}
        >
          {now === "" && <option value="">{t("list.sort")}</option>}
          {sorts.flatMap(({ title: name, sort }) => [
            <option key={sort} value={sort}>{`${name} ↑`}</option>,
            <option key={`-${sort}`} value={`-${sort}`}>{`${name} ↓`}</option>,
          ])}
        </select>
      )}
      <div class={`scroll ${extra}`.trim()} tabIndex={0} role="region" aria-label={title}>
        <table class={fixed ? "fixed" : undefined}>
          <thead>
            <tr>
              {shown.map((column) => {
                const { title: name, align, sort, hidden } = column;
                return (
                  <th
                    key={name}
                    scope="col"
                    class={align}
                    aria-sort={sort && now === sort ? "ascending" : sort && now === `-${sort}` ? "descending" : undefined}
                  >
                    {sort ? (
                      <button type="button" class="sort" onClick={() => setParameter("sort", turn(column))}>
                        {name}
                      </button>
                    ) : hidden ? (
                      <span class="unseen">{name}</span>
                    ) : (
                      name
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody ref={body}>{children}</tbody>
        </table>
      </div>
    </>
  );
}

export type Sorts<T> = Record<string, (row: T) => number | string>;

// The rows in the order that the address asks for, by the functions that columns name.
export function sorted<T>(rows: T[], sorts: Sorts<T>, by = ""): T[] {
  const asked = parameter("sort");
  const wanted = sorts[asked.replace(/^-/, "")] ? asked : by;
  const down = wanted.startsWith("-");
  const value = sorts[down ? wanted.slice(1) : wanted];
  if (!value) return rows;
  const compare = (a: T, b: T) => {
    const [x, y] = [value(a), value(b)];
    return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
  };
  return [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
}
