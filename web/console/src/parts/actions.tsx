import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Notice } from "../components/notice";

export interface Action {
  title: string;
  label?: string; // for screen readers, where the title does not say for what
  danger?: boolean;
  disabled?: boolean;
  pressed?: boolean;
  run: () => Promise<unknown> | void;
}

// One attempt at a time, and the reason why the last failed.
export function useAttempts() {
  const busy = useSignal(false);
  const error = useSignal("");
  const run = async (action: Action) => {
    error.value = "";
    busy.value = true;
    try {
      await action.run();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, run };
}

// Buttons that do something at once: one at a time, with what came of it under.
export function Actions({ actions, label, children }: { actions: Action[]; label?: string; children?: ComponentChildren }) {
  const { busy, error, run } = useAttempts();
  return (
    <>
      <div class="actions start" role="group" aria-label={label}>
        {actions.map((action) => (
          <Button
            key={action.title}
            kind={action.danger ? "danger" : "plain"}
            {...(action.label && { label: action.label })}
            disabled={busy.value || action.disabled === true}
            onClick={() => void run(action)}
          >
            {action.title}
          </Button>
        ))}
        {busy.value && <span class="quiet">{t("state.working")}</span>}
        {children}
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
    </>
  );
}
