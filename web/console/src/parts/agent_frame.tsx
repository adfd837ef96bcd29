// What all pages of one agent share: its name and state, the buttons of its life, and the way to its other pages.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type Action, agents, isRunning, isSettling, lifecycle, noteHealth, trouble, watch } from "../agents";
import { call, sentence } from "../api/client";
import type { Agent } from "../api/types";
import { date } from "../app/format";
import { type Key, t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Avatar } from "../components/avatar";
import { Button } from "../components/button";
import { Confirm } from "../components/confirm";
import { EmptyState, Loading } from "../components/empty_state";
import { Link } from "../components/link";
import { Menu } from "../components/menu";
import { Notice } from "../components/notice";
import { Status } from "../components/status";
import { Tabs } from "../components/tabs";

export type Tab =
  | ""
  | "files"
  | "logs"
  | "memory"
  | "schedule"
  | "channels"
  | "usage"
  | "health"
  | "settings"
  | "browser"
  | "terminal"
  | "sharing";

const tabs: [Tab, Key][] = [
  ["", "page.conversation"],
  ["files", "page.files"],
  ["logs", "page.logs"],
  ["memory", "page.memory"],
  ["schedule", "page.schedule"],
  ["channels", "page.channels"],
  ["usage", "page.usage"],
  ["health", "page.health"],
  ["settings", "page.settings"],
];

interface Props {
  id: string;
  tab: Tab;
  fill?: boolean; // the page is as high as the window
  wide?: boolean; // and as wide
  children: (agent: Agent) => ComponentChildren;
}

export function AgentFrame({ id, tab, fill, wide, children }: Props) {
  useEffect(watch, []);
  const agent = agents.value?.find((one) => one.id === id);
  if (!agent) {
    return (
      <div class="column">
        {trouble.value && <Notice kind="error">{trouble.value}</Notice>}
        {agents.value === undefined ? (
          <Loading />
        ) : (
          <EmptyState title={t("agent.missing")} text={t("agent.missing_text")}>
            <Link to="/dashboard" class="button">
              {t("agent.back")}
            </Link>
          </EmptyState>
        )}
      </div>
    );
  }
  return (
    <div class={`panel ${fill ? "fill" : ""} ${wide ? "wide-panel" : ""}`}>
      <Head agent={agent} />
      <Tabs
        label={t("agent.pages")}
        tabs={tabs.map(([name, title]) => ({ to: agentPath(id, name), title: t(title), current: name === tab }))}
      />
      {trouble.value && <Notice kind="error">{trouble.value}</Notice>}
      {children(agent)}
    </div>
  );
}

function Head({ agent }: { agent: Agent }) {
  const busy = useSignal("");
  const error = useSignal("");
  const stopping = useSignal(false);
  const reason = useSignal("");
  const hasTerminal = useSignal(false);
  const broken = agent.status === "error";
  useEffect(() => {
    reason.value = "";
    if (agent.status === "deleting") return; // it may be gone by then
    call("GET /api/agents/{id}", { path: { id: agent.id } }).then(
      (found) => {
        noteHealth(agent.id, found.agent.watchdog.state);
        if (broken) reason.value = found.agent.statusReason;
      },
      () => undefined,
    );
  }, [agent.id, broken, agent.updatedAt]);

  useEffect(() => {
    hasTerminal.value = false;
    call("GET /api/agents/{id}/terminals", { path: { id: agent.id } }).then(
      (found) => (hasTerminal.value = found.included),
      () => undefined,
    );
  }, [agent.id]);

  const run = async (doing: string, action: Action) => {
    busy.value = doing;
    error.value = "";
    try {
      await lifecycle(agent, action);
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = "";
    }
  };
  const idle = busy.value === "" && !isSettling(agent);
  const running = isRunning(agent);
  return (
    <>
      <header class="panel-head">
        <div class="with-face">
          <Avatar id={agent.id} name={agent.name} />
          <h1 title={t("agent.since", { date: date(agent.createdAt) })}>
            <bdi>{agent.name}</bdi>
          </h1>
          <Status agent={agent} />
          <span class="quiet agent-model">{agent.model === "auto" ? t("agent.default_model") : agent.model}</span>
        </div>
        <div class="actions" role="group" aria-label={t("agent.lifecycle")}>
          {busy.value && <span class="quiet">{busy.value}</span>}
          {running ? (
            <Button disabled={!idle} onClick={() => (stopping.value = true)}>
              {t("agent.stop")}
            </Button>
          ) : (
            <Button disabled={!idle} onClick={() => void run(t("agent.starting"), "start")}>
              {t("agent.start")}
            </Button>
          )}
          <Menu
            label={t("agent.more", { name: agent.name })}
            items={[
              { title: t("agent.restart"), icon: "restart", disabled: !idle || !running, run: () => run(t("agent.restarting"), "restart") },
              { title: t("agent.clone"), icon: "copy", to: agentPath(agent.id, "settings") },
              { title: t("browser.watch"), icon: "globe", to: agentPath(agent.id, "browser") },
              ...(hasTerminal.value ? [{ title: t("terminal.open"), icon: "terminal" as const, to: agentPath(agent.id, "terminal") }] : []),
              { title: t("sharing.new"), icon: "users", to: agentPath(agent.id, "sharing") },
              { title: t("templates.publish"), icon: "template", to: agentPath(agent.id, "sharing") },
              { title: t("page.settings"), icon: "settings", to: agentPath(agent.id, "settings") },
            ]}
          />
        </div>
        {stopping.value && (
          <Confirm
            title={t("agent.stop_title", { name: agent.name })}
            confirm={t("agent.stop_confirm")}
            onClose={() => (stopping.value = false)}
            action={() => run(t("agent.stopping"), "stop")}
          >
            <p>{t("agent.stop_text")}</p>
          </Confirm>
        )}
      </header>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {broken && reason.value && !error.value && <Notice kind="error">{reason.value}</Notice>}
    </>
  );
}
