// The keys of the console, and the dialog that names them (?).
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "../components/dialog";
import { type Key, t } from "./i18n";

export const shortcutsOpen = signal(false);

const rows: [keys: string, does: Key][] = [
  ["Ctrl K", "shortcuts.palette"],
  ["/", "shortcuts.search"],
  ["↑ ↓", "shortcuts.entries"],
  ["Enter", "shortcuts.send"],
  ["Shift Enter", "shortcuts.line"],
  ["↑", "shortcuts.edit_last"],
  ["/", "shortcuts.commands"],
  ["Shift Esc", "shortcuts.field"],
  ["Ctrl .", "shortcuts.stop"],
  ["Ctrl Shift O", "shortcuts.new_talk"],
  ["Esc", "shortcuts.close"],
  ["?", "shortcuts.this"],
];

export function Shortcuts() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as HTMLElement).closest("input, textarea, select, dialog, [contenteditable]")) return;
      event.preventDefault();
      shortcutsOpen.value = true;
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  if (!shortcutsOpen.value) return null;
  return (
    <Dialog title={t("shortcuts.title")} onClose={() => (shortcutsOpen.value = false)} dismissible>
      <dl class="pairs">
        {rows.map(([keys, does]) => (
          <div key={keys}>
            <dt>{t(does)}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
