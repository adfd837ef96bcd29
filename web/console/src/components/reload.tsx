import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { relative } from "../app/format";
import { t } from "../app/i18n";
import { Button } from "./button";
import { Icon } from "./icon";

// Milliseconds between two looks at the clock.
const often = 20_000;

interface Props {
  of: { reload: () => Promise<unknown>; at?: Signal<number> };
}

// Loads a page's content again, and says how old it is: for what the box sends no events about.
export function Reload({ of: { reload, at } }: Props) {
  const busy = useSignal(false);
  const looks = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => looks.value++, often);
    return () => clearInterval(timer);
  }, []);
  const again = async () => {
    busy.value = true;
    await reload();
    busy.value = false;
  };
  return (
    <span class="reload" data-looks={looks.value}>
      {at && at.value > 0 && <time class="quiet">{relative(new Date(at.value))}</time>}
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
    </span>
  );
}
