import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { parameter, setParameter } from "../app/router";
import { Button } from "../components/button";
import { EmptyState, Loading } from "../components/empty_state";
import { List, type View } from "../components/list_tools";
import { Notice } from "../components/notice";
import { type Column, Table } from "../components/table";

export interface Pages<T> {
  items: Signal<T[] | undefined>; // those loaded so far
  error: Signal<string>;
  hasMore: boolean;
  more: () => Promise<void>; // the next page
  reload: () => Promise<void>; // from the first page on
}

// A long list of the box's, loaded page by page; from its beginning whenever `inputs` change.
export function usePages<T, Cursor>(
  load: (after?: Cursor) => Promise<{ items: T[]; next: Cursor | undefined }>,
  inputs: unknown[] = [],
): Pages<T> {
  const items = useSignal<T[] | undefined>(undefined);
  const next = useSignal<Cursor | undefined>(undefined);
  const error = useSignal("");
  const turn = useSignal(0);
  const read = async (isFirst: boolean) => {
    const mine = ++turn.value;
    try {
      const page = await load(isFirst ? undefined : next.peek());
      if (mine !== turn.peek()) return;
      items.value = isFirst ? page.items : [...(items.peek() ?? []), ...page.items];
      next.value = page.next;
      error.value = "";
    } catch (cause) {
      if (mine === turn.peek()) error.value = sentence(cause);
    }
  };
  useEffect(() => {
    void read(true);
    return () => void ++turn.value;
  }, inputs);
  return { items, error, hasMore: next.value !== undefined, more: () => read(items.peek() === undefined), reload: () => read(true) };
}

interface Props<T> {
  of: Pages<T>;
  title: string;
  columns: (string | Column)[];
  view: View<T>; // the search looks at what is loaded
  row: (item: T) => ComponentChildren;
  empty?: { title: string; text: string };
}

export function PagedTable<T>({ of: { items, error, hasMore, more }, title, columns, view, row, empty }: Props<T>) {
  const list = items.value;
  return (
    <>
      {list === undefined && !error.value && <Loading />}
      {list?.length === 0 && !parameter("q") && (
        <EmptyState title={empty?.title ?? t("admin.empty")} text={empty?.text ?? t("admin.empty_text")} />
      )}
      {list && (list.length > 0 || parameter("q")) && (
        <List items={list} label={title} view={view}>
          {(found) =>
            found.length > 0 ? (
              <Table title={title} columns={columns} by={view.by ?? ""}>
                {found.map(row)}
              </Table>
            ) : (
              <EmptyState title={t("list.nothing")} text={t("list.nothing_hint")}>
                <Button onClick={() => setParameter("q", "")}>{t("list.clear")}</Button>
              </EmptyState>
            )
          }
        </List>
      )}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {(error.value || hasMore) && (
        <div class="actions start">
          <Button onClick={() => void more()}>{error.value ? t("action.retry") : t("usage.more")}</Button>
        </div>
      )}
    </>
  );
}
