import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "./button";
import { EmptyState, Loading } from "./empty_state";
import { Notice } from "./notice";

export interface Resource<T> {
  data: Signal<T | undefined>;
  error: Signal<string>;
  reload: () => Promise<void>;
  at: Signal<number>; // when the data was loaded; 0 before
}

// What a page shows of the box, loaded when the page appears and whenever `inputs` change. An answer that was overtaken
// by a later request is dropped.
export function useLoad<T>(load: () => Promise<T>, inputs: unknown[] = []): Resource<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal("");
  const at = useSignal(0);
  const turn = useSignal(0);
  const reload = async () => {
    const mine = ++turn.value;
    try {
      const found = await load();
      if (mine !== turn.peek()) return;
      data.value = found;
      at.value = Date.now();
      error.value = "";
    } catch (cause) {
      if (mine === turn.peek()) error.value = sentence(cause);
    }
  };
  useEffect(() => {
    void reload();
    return () => void ++turn.value;
  }, inputs);
  return { data, error, reload, at };
}

// Loads again when the window is looked at again: for what the box sends no events about.
export function useRefreshOnReturn({ reload }: Pick<Resource<unknown>, "reload">) {
  const latest = useRef(reload); // what the page shows may have changed since it appeared
  latest.current = reload;
  useEffect(() => {
    const refresh = () => {
      if (!document.hidden) void latest.current();
    };
    window.addEventListener("focus", refresh);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      window.removeEventListener("focus", refresh);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, []);
}

interface Props<T> {
  of: Resource<T>;
  children: (data: T) => ComponentChildren;
}

// The content once it is there; until then that it is loading, or why not, with a button to try again. Content that could
// not be loaded again stays, with the reason above it.
export function Loaded<T>({ of: { data, error, reload }, children }: Props<T>) {
  if (data.value !== undefined)
    return (
      <>
        {error.value && <Notice kind="error">{error.value}</Notice>}
        {children(data.value)}
      </>
    );
  if (!error.value) return <Loading />;
  return (
    <EmptyState title={error.value} alert>
      <Button onClick={() => void reload()}>{t("action.retry")}</Button>
    </EmptyState>
  );
}
