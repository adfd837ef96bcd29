// The agents as cards, and what needs the user's attention.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { agents, isRunning, isSettling, trouble, watch } from "../agents";
import type { Agent } from "../api/types";
import { relative } from "../app/format";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { Growing } from "../components/growing";
import { Link } from "../components/link";
import { List } from "../components/list_tools";
import { Notice } from "../components/notice";
import { Status } from "../components/status";
import { Attention } from "../parts/attention";
import { FirstSteps } from "../parts/first_steps";
import { NewAgentDialog } from "../parts/new_agent";
import { PlanNotice } from "../parts/plan_notice";

export default function Home() {
  const creating = useSignal(false);
  useEffect(watch, []);
  const list = agents.value;
  const settings = account.settings.value;
  const create = () => (creating.value = true);
  return (
    <div class="column">
      <header class="page-head">
        <div>
          <h1>{t("home.title")}</h1>
          {settings && (
            <Badge>{settings.plan ? t("home.plan", { plan: settings.plan }) : t("home.no_plan")}</Badge>
          )}
        </div>
        <Button kind="primary" disabled={!account.mayProvision.value} onClick={create}>
          {t("home.new_agent")}
        </Button>
      </header>
      {trouble.value && <Notice kind="error">{trouble.value}</Notice>}
      <PlanNotice />
      {list && <Attention agents={list} />}
      {list === undefined ? (
        <p class="quiet">{t("state.loading")}</p>
      ) : list.length === 0 ? (
        account.mayProvision.value && (
          <EmptyState title={t("home.first")} text={t("home.first_text")}>
            <Button kind="primary" onClick={create}>
              {t("home.first_action")}
            </Button>
          </EmptyState>
        )
      ) : (
        <Cards list={list} />
      )}
      {list && <FirstSteps agents={list} />}
      {creating.value && <NewAgentDialog onClose={() => (creating.value = false)} />}
    </div>
  );
}

const by_name = (a: Agent, b: Agent) => a.name.localeCompare(b.name);
const newest = (a: Agent, b: Agent) => b.createdAt.localeCompare(a.createdAt);
const changed = (a: Agent, b: Agent) => b.updatedAt.localeCompare(a.updatedAt);

const states: Record<string, (agent: Agent) => boolean> = {
  running: isRunning,
  changing: isSettling,
  stopped: (agent) => agent.status === "stopped",
  error: (agent) => agent.status === "error",
};

function Cards({ list }: { list: Agent[] }) {
  return (
    <List
      items={list}
      label={t("home.tools")}
      view={{
        text: ({ name, model }) => `${name} ${model}`,
        orders: [
          { value: "newest", title: t("sort.newest"), compare: newest },
          { value: "name", title: t("sort.name"), compare: by_name },
          { value: "changed", title: t("sort.changed"), compare: changed },
        ],
        filter: {
          title: t("home.filter"),
          choices: Object.keys(states).map((value) => ({ value, title: t(`home.${value}` as "home.running") })),
          matches: (agent, value) => states[value]!(agent),
        },
      }}
    >
      {(found) => (
        <Growing items={found}>
          {(shown) => (
            <ul class="cards agents">
              {shown.map((agent) => (
                <li key={agent.id}>
                  <h2>
                    <Link to={agentPath(agent.id)} entry>
                      <bdi>{agent.name}</bdi>
                    </Link>
                  </h2>
                  <p class="facts">
                    <Status agent={agent} />
                    <span>{agent.model === "auto" ? t("agent.default_model") : agent.model}</span>
                    <span>{t("home.changed_ago", { ago: relative(agent.updatedAt) })}</span>
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Growing>
      )}
    </List>
  );
}
