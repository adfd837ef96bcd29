import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Icon } from "./icon";

// Loads a page's content again: for what the box sends no events about.
export function Reload({ reload }: { reload: () => Promise<void> }) {
  const busy = useSignal(false);
  const again = async () => {
    busy.value = true;
    await reload();
    busy.value = false;
  };
  return (
    <Button
      kind="ghost"
      class="icon-only"
      label={t("action.reload")}
      title={busy.value ? t("state.working") : t("action.reload")}
      disabled={busy.value}
      onClick={() => void again()}
    >
      <Icon name="reload" />
    </Button>
  );
}
