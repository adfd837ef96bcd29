// The command palette: every page and every agent by a few letters of its name.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import * as account from "../account";
import { agents, isRunning, lifecycle, refresh } from "../agents";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { Dialog } from "../components/dialog";
import { Icon, type IconName } from "../components/icon";
import { conversation, load, sendDraft } from "../conversation";
import { type Key, t } from "./i18n";
import { agentPath, pages } from "./pages";
import { go } from "./router";
import { rowOf } from "./sections";
import { chooseTheme, themes } from "./theme";

export const paletteOpen = signal(false);

interface Entry {
  title: string;
  group: string;
  icon: IconName;
  run: () => unknown;
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
  const found: Entry[] = pages
    .filter(({ path, access }) => !path.includes(":") && path !== "/login" && account.maySee(access))
    .map(({ path, title }) => ({ title: t(title), group: t("palette.pages"), icon: rowOf(path)?.row.icon ?? "next", run: () => go(path) }));
  if (account.mayProvision.value)
    found.push({ title: t("nav.new_agent"), group: t("palette.actions"), icon: "plus", run: () => go("/dashboard?new=agent") });
  for (const agent of agents.value ?? [])
    for (const [tab, title] of tabs)
      found.push({
        title: tab ? `${agent.name} › ${t(title)}` : agent.name,
        group: t("palette.agents"),
        icon: "agent",
        run: () => go(agentPath(agent.id, tab)),
      });
  for (const agent of agents.value ?? []) {
    if (isRunning(agent))
      found.push({
        title: t("palette.stop", { name: agent.name }),
        group: t("palette.actions"),
        icon: "stop",
        run: () => act(agent, "stop"),
      });
    if (agent.status === "stopped" || agent.status === "error")
      found.push({
        title: t("palette.start", { name: agent.name }),
        group: t("palette.actions"),
        icon: "play",
        run: () => act(agent, "start"),
      });
  }
  for (const theme of themes)
    found.push({ title: t(`theme.${theme}`), group: t("theme.title"), icon: "settings", run: () => chooseTheme(theme) });
  return found;
}

// Shows the agent, which says what becomes of it.
function act(agent: Agent, action: "start" | "stop") {
  go(agentPath(agent.id));
  return lifecycle(agent, action).catch(() => undefined);
}

// "ask scout what is the plan": a question to the agent whose name the words begin with.
function question(search: string): Entry[] {
  const words = /^(\S+)\s+(.+)$/s.exec(search.trim());
  if (!words || words[1]!.toLocaleLowerCase() !== t("palette.ask_word")) return [];
  const rest = words[2]!;
  return (agents.value ?? [])
    .filter((agent) => isRunning(agent) && rest.toLocaleLowerCase().startsWith(agent.name.toLocaleLowerCase()))
    .map((agent) => ({ agent, text: rest.slice(agent.name.length).trim() }))
    .filter(({ text }) => text !== "")
    .map(({ agent, text }) => ({
      title: t("palette.ask", { name: agent.name, text }),
      group: t("palette.actions"),
      icon: "chat" as const,
      run: () => ask(agent, text),
    }));
}

async function ask(agent: Agent, text: string) {
  go(agentPath(agent.id));
  const { current } = await call("GET /api/agents/{id}/conversations", { path: { id: agent.id } });
  const talk = { agentId: agent.id, conversationId: current };
  conversation(talk).draft.value = text;
  await load(talk);
  await sendDraft(talk);
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
  const found = [...question(search.value), ...matching(entries(), search.value)];
  const at = Math.min(chosen.value, found.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    void entry.run();
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
        placeholder={t("palette.hint")}
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
            <Icon name={entry.icon} />
            <bdi>{entry.title}</bdi>
            <span class="quiet">{entry.group}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">{t("palette.nothing")}</p>}
    </Dialog>
  );
}
