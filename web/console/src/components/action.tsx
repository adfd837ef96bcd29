import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Notice } from "./notice";

interface Props {
  kind?: "plain" | "primary" | "danger" | "ghost";
  label?: string;
  title?: string; // where it shows an icon
  class?: string;
  run: () => Promise<unknown>;
  children: ComponentChildren;
}

// A button whose work takes a moment and can fail: one attempt at a time, with the reason beside it.
export function Action({ kind = "plain", label, title, class: extra = "", run, children }: Props) {
  const busy = useSignal(false);
  const error = useSignal("");
  const attempt = async () => {
    busy.value = true;
    error.value = "";
    try {
      await run();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return (
    <>
      <Button kind={kind} {...(label && { label })} title={title} class={extra} disabled={busy.value} onClick={() => void attempt()}>
        {busy.value ? t("state.working") : children}
      </Button>
      {error.value && <Notice kind="error">{error.value}</Notice>}
    </>
  );
}
