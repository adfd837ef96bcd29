import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Icon } from "./icon";

// Copies a text and says so for a moment.
export function CopyButton({ text, label, icon = false }: { text: string; label?: string; icon?: boolean }) {
  const said = useSignal("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = t("copy.done");
    } catch {
      said.value = t("copy.failed");
    }
    setTimeout(() => (said.value = ""), 2_000);
  };
  if (icon)
    return (
      <Button kind="ghost" class="icon-only" label={said.value || label || t("action.copy")} title={label} onClick={() => void copy()}>
        <Icon name={said.value ? "check" : "copy"} />
        <span class="unseen" aria-live="polite">
          {said.value}
        </span>
      </Button>
    );
  return (
    <Button class="small" {...(label && !said.value ? { label } : {})} onClick={() => void copy()}>
      <span aria-live="polite">{said.value || t("action.copy")}</span>
    </Button>
  );
}
