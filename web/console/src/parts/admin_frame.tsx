import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { location } from "../app/router";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { List } from "../components/list_tools";
import { Notice } from "../components/notice";
import { Tabs } from "../components/tabs";

const tabs = [
  ["/admin/audit", "page.audit"],
  ["/admin/events", "page.events"],
] as const;

// The pages of administrators, beside each other.
export function AdminFrame({ children }: { children: ComponentChildren }) {
  const here = location.value.pathname;
  return (
    <div class="column wide-column">
      <h1>{t("page.admin")}</h1>
      <Tabs label={t("admin.pages")} tabs={tabs.map(([to, title]) => ({ to, title: t(title), current: here === to }))} />
      {children}
    </div>
  );
}

interface Props<T, Cursor> {
  title: string;
  columns: string[];
  load: (before?: Cursor) => Promise<{ items: T[]; next: Cursor | undefined }>;
  text: (item: T) => string;
  row: (item: T) => ComponentChildren;
}

// A long table of the box's, loaded page by page. The search looks at what is loaded.
export function PagedTable<T, Cursor>({ title, columns, load, text, row }: Props<T, Cursor>) {
  const items = useSignal<T[] | undefined>(undefined);
  const next = useSignal<Cursor | undefined>(undefined);
  const error = useSignal("");
  const more = async () => {
    error.value = "";
    try {
      const page = await load(next.value);
      items.value = [...(items.value ?? []), ...page.items];
      next.value = page.next;
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  useEffect(() => void more(), []);
  const list = items.value;
  return (
    <>
      {list?.length === 0 && <EmptyState title={t("admin.empty")} text={t("admin.empty_text")} />}
      {list && list.length > 0 && (
        <List items={list} label={title} view={{ text }}>
          {(found) => (
            <div class="scroll" tabIndex={0} role="region" aria-label={title}>
              <table>
                <thead>
                  <tr>
                    {columns.map((column) => (
                      <th key={column} scope="col">
                        {column}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>{found.map(row)}</tbody>
              </table>
            </div>
          )}
        </List>
      )}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {(error.value || next.value !== undefined) && (
        <div class="actions start">
          <Button onClick={() => void more()}>{error.value ? t("action.retry") : t("usage.more")}</Button>
        </div>
      )}
    </>
  );
}
