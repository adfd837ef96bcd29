// The command palette: every page and every agent by a few letters of its name.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import * as account from "../account";
import { agents, refresh } from "../agents";
import { Dialog } from "../components/dialog";
import { type Key, t } from "./i18n";
import { agentPath, pages } from "./pages";
import { go } from "./router";
import { chooseTheme, themes } from "./theme";

export const paletteOpen = signal(false);

interface Entry {
  title: string;
  group: string;
  run: () => void;
}

const tabs: [string, Key][] = [
  ["", "page.conversation"],
  ["files", "page.files"],
  ["logs", "page.logs"],
  ["memory", "page.memory"],
  ["schedule", "page.schedule"],
  ["usage", "page.usage"],
  ["health", "page.health"],
  ["settings", "page.settings"],
];

function entries(): Entry[] {
  const isAdmin = account.user.value?.isAdmin ?? false;
  const found: Entry[] = pages
    .filter(({ path, access }) => !path.includes(":") && path !== "/login" && (access !== "admin" || isAdmin))
    .map(({ path, title }) => ({ title: t(title), group: t("palette.pages"), run: () => go(path) }));
  for (const agent of agents.value ?? [])
    for (const [tab, title] of tabs)
      found.push({
        title: tab ? `${agent.name} › ${t(title)}` : agent.name,
        group: t("palette.agents"),
        run: () => go(agentPath(agent.id, tab)),
      });
  for (const theme of themes)
    found.push({ title: t(`theme.${theme}`), group: t("theme.title"), run: () => chooseTheme(theme) });
  return found;
}

// All words of the search occur in the title or its group, in any order.
function matching(all: Entry[], search: string): Entry[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ title, group }: Entry) => {
    const text = `${title} ${group}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  };
  // The tabs of agents would drown the agents: they come with the second word.
  return all.filter((entry) => fits(entry) && (words.length > 0 || !entry.title.includes(" › "))).slice(0, 50);
}

export function Palette() {
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      paletteOpen.value = !paletteOpen.value;
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, []);
  return paletteOpen.value ? <PaletteDialog onClose={() => (paletteOpen.value = false)} /> : null;
}

function PaletteDialog({ onClose }: { onClose: () => void }) {
  const search = useSignal("");
  const chosen = useSignal(0);
  const id = useId();
  useEffect(() => void refresh().catch(() => undefined), []);
  const found = matching(entries(), search.value);
  const at = Math.min(chosen.value, found.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") chosen.value = at >= found.length - 1 ? 0 : at + 1;
    else if (event.key === "ArrowUp") chosen.value = at <= 0 ? found.length - 1 : at - 1;
    else if (event.key === "Enter") run(found[at]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <Dialog title={t("palette.title")} onClose={onClose} class="palette" dismissible>
      <input
        type="text"
        role="combobox"
        autoFocus
        autocomplete="off"
        aria-label={t("palette.search")}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length ? `${id}-${at}` : undefined}
        placeholder={t("palette.search")}
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKey}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={t("palette.results")}>
        {found.map((entry, index) => (
          <li
            key={`${entry.group} ${entry.title} ${index}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(entry)}
            onMouseMove={() => (chosen.value = index)}
          >
            <bdi>{entry.title}</bdi>
            <span class="quiet">{entry.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">{t("palette.nothing")}</p>}
    </Dialog>
  );
}
