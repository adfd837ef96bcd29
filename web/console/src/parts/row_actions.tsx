import type { ComponentChildren } from "preact";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import type { IconName } from "../components/icon";
import { Menu } from "../components/menu";
import { Notice } from "../components/notice";
import { type Action, useAttempts } from "./actions";

export interface RowAction extends Action {
  icon?: IconName; // in the menu
}

interface Props {
  of: string; // the entry's name, for screen readers
  first?: RowAction | false | undefined; // the one that is used most
  more: (RowAction | false | undefined)[];
  start?: boolean; // below a text and not beside it
  children?: ComponentChildren; // icons between the two
}

// What can be done with an entry of a list: one button, and a menu with the rest. An only action is a button in any case.
export function RowActions({ of, first, more, start, children }: Props) {
  const { busy, error, run } = useAttempts();
  const rest = more.filter((action) => !!action);
  const shown = first || (rest.length === 1 && !children ? rest.pop() : undefined);
  return (
    <>
      <div class={start ? "actions start" : "actions"}>
        {shown && (
          <Button
            {...(shown.label && { label: shown.label })}
            {...(shown.pressed !== undefined && { pressed: shown.pressed })}
            disabled={busy.value || shown.disabled === true}
            onClick={() => void run(shown)}
          >
            {busy.value ? t("state.working") : shown.title}
          </Button>
        )}
        {children}
        {rest.length > 0 && (
          <Menu
            label={t("action.more_about", { name: of })}
            items={rest.map((action) => ({ ...action, disabled: busy.value || action.disabled === true, run: () => run(action) }))}
          />
        )}
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
    </>
  );
}
