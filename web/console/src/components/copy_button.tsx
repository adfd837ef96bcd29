import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";
import { Button } from "./button";

// Copies a text and says so for a moment.
export function CopyButton({ text, label }: { text: string; label?: string }) {
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
  return (
    <Button class="small" {...(label && !said.value ? { label } : {})} onClick={() => void copy()}>
      <span aria-live="polite">{said.value || t("action.copy")}</span>
    </Button>
  );
}
