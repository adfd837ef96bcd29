// Commands of the message field: a line that begins with a slash lists those that fit.
import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";

export interface SlashCommand {
  name: string; // after the slash
  does: string;
  takes?: string; // what follows the name, if anything may
  run: (rest: string) => unknown;
}

export const listId = "slash-commands";

// The commands that a draft may mean; undefined: it is a message.
export function fitting(commands: SlashCommand[], draft: string): SlashCommand[] | undefined {
  const found = /^\/([a-z]*)(\s[^\n]*)?$/.exec(draft);
  if (!found) return undefined;
  const [, word = "", rest] = found;
  const fit = commands.filter(({ name, takes }) => (rest === undefined ? name.startsWith(word) : name === word && takes !== undefined));
  return fit.length > 0 ? fit : undefined;
}

const restOf = (draft: string) => draft.replace(/^\/[a-z]*\s*/, "").trim();

// Which of the commands is chosen, and the keys that choose and run it.
export function useSlashCommands(commands: SlashCommand[], draft: { value: string }) {
  const at = useSignal(0);
  const closed = useSignal(""); // the draft for which the list was closed
  const fit = closed.value === draft.value ? undefined : fitting(commands, draft.value);
  const chosen = fit ? Math.min(at.value, fit.length - 1) : -1;
  const run = (command: SlashCommand) => {
    const rest = restOf(draft.value);
    if (command.takes && rest === "" && draft.value !== `/${command.name} `) {
      draft.value = `/${command.name} `;
      return;
    }
    draft.value = "";
    at.value = 0;
    void command.run(rest);
  };
  // Whether the key was one of the list's.
  const onKey = (event: KeyboardEvent): boolean => {
    if (!fit || event.isComposing) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp")
      at.value = (chosen + (event.key === "ArrowDown" ? 1 : fit.length - 1)) % fit.length;
    else if (event.key === "Enter" || event.key === "Tab") run(fit[chosen]!);
    else if (event.key === "Escape") closed.value = draft.value;
    else return false;
    event.preventDefault();
    return true;
  };
  return { fit, chosen, run, onKey };
}

interface Props {
  fit: SlashCommand[];
  chosen: number;
  run: (command: SlashCommand) => void;
}

export function SlashList({ fit, chosen, run }: Props) {
  return (
    <ul id={listId} class="slash-list" role="listbox" aria-label={t("slash.title")}>
      {fit.map((command, index) => (
        <li
          key={command.name}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => run(command)}
        >
          <code>/{command.name}</code>
          {command.takes && <i>{command.takes}</i>}
          <span>{command.does}</span>
        </li>
      ))}
    </ul>
  );
}
