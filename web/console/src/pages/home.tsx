// What happened, what needs the user, and the agents. Administrators without agents see how the box is doing.
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { agents, isRunning, trouble, watch } from "../agents";
import { call } from "../api/client";
import { useLive } from "../api/live";
import { money, number, relative } from "../app/format";
import { t, tn } from "../app/i18n";
import { agentPath } from "../app/pages";
import { parameter, setParameter } from "../app/router";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { EmptyState, Loading } from "../components/empty_state";
import { useLoad, useRefreshOnReturn } from "../components/loaded";
import { Notice } from "../components/notice";
import { Spark } from "../components/spark";
import { Tile } from "../components/tile";
import { Activity } from "../parts/activity";
import { AgentCards, type Known } from "../parts/agent_cards";
import { Attention } from "../parts/attention";
import { BoxOverview } from "../parts/box_overview";
import { FirstSteps } from "../parts/first_steps";
import { NewAgentDialog } from "../parts/new_agent";
import { PlanNotice } from "../parts/plan_notice";
import { callsByDay, sumsBy } from "../usage_data";

export default function Home() {
  useEffect(watch, []);
  const list = agents.value;
  const settings = account.settings.value;
  const create = () => setParameter("new", "agent");
  const isAdmin = account.user.value?.isAdmin === true;
  return (
    <div class="column">
      <header class="page-head">
        <div>
          <h1>{t("page.home")}</h1>
          {settings?.plan && <Badge>{t("home.plan", { plan: settings.plan })}</Badge>}
          {settings && !settings.plan && !isAdmin && <Badge>{t("home.no_plan")}</Badge>}
        </div>
        <Button kind="primary" disabled={!account.mayProvision.value} onClick={create}>
          {t("home.new_agent")}
        </Button>
      </header>
      {trouble.value && <Notice kind="error">{trouble.value}</Notice>}
      <PlanNotice />
      {list === undefined ? (
        <Loading />
      ) : list.length > 0 ? (
        <Work />
      ) : isAdmin ? (
        <>
          <Attention agents={list} />
          <BoxOverview />
        </>
      ) : (
        <>
          <Attention agents={list} />
          {account.mayProvision.value && (
            <EmptyState title={t("home.first")} text={t("home.first_text")}>
              <Button kind="primary" onClick={create}>
                {t("home.first_action")}
              </Button>
            </EmptyState>
          )}
          <FirstSteps agents={list} />
        </>
      )}
      {parameter("new") === "agent" && account.mayProvision.value && <NewAgentDialog onClose={() => setParameter("new", "")} />}
    </div>
  );
}

// Of the newest calls: enough for a day of most accounts.
async function newestCalls(): Promise<Pick<Known, "spent" | "byDay">> {
  const { calls, next } = await call("GET /api/dashboard/calls", { query: { limit: 200 } });
  const today = new Date().toISOString().slice(0, 10);
  const spent = sumsBy(
    calls.filter(({ at }) => at.startsWith(today)),
    ({ agentId }) => agentId ?? "",
  );
  return { spent, byDay: callsByDay(calls, !!next) };
}

// Of a user who has agents.
function Work() {
  const list = agents.value ?? [];
  const cost = useLoad(() => call("GET /api/dashboard/cost"));
  const spent = useLoad(newestCalls);
  const tasks = useLoad(async () => (await call("GET /api/scheduled-tasks")).tasks);
  const talks = useLoad(async () => (await call("GET /api/conversations", { query: { limit: 100 } })).conversations);
  const reload = () => Promise.all([cost.reload(), spent.reload(), talks.reload()]).then(() => undefined);
  useLive(["message"], reload);
  useLive(["run"], tasks.reload);
  useRefreshOnReturn({ reload });
  const up = list.filter(isRunning).length;
  const next = tasks.data.value
    ?.filter(({ enabled, nextRun }) => enabled && nextRun)
    .sort((a, b) => a.nextRun!.localeCompare(b.nextRun!))[0];
  const days = cost.data.value?.byDay ?? [];
  const today = days.at(-1)?.usage;
  const last30 = days.reduce((sum, { usage }) => sum + Number(usage.cost), 0);
  const found = cost.data.value;
  return (
    <>
      <ul class="tiles">
        <Tile
          title={t("home.spent")}
          to="/usage"
          value={found ? money(found.total) : "\u00a0"}
          aside={<Spark values={days.map(({ usage }) => Number(usage.cost))} />}
        >
          {found && t("home.spent_30", { amount: money(last30.toFixed(6)) })}
        </Tile>
        <Tile
          title={t("home.calls_today")}
          to="/usage"
          value={today ? number(today.calls) : "\u00a0"}
          aside={<Spark values={days.map(({ usage }) => usage.calls)} />}
        >
          {today && (today.failed > 0 ? tn("home.calls_failed", today.failed) : t("home.calls_fine"))}
        </Tile>
        <Tile title={t("home.agents_up")} value={t("home.agents_of", { up: number(up), all: number(list.length) })}>
          {list
            .filter(({ status }) => status === "error")
            .map(({ name }) => name)
            .join(", ")}
        </Tile>
        <Tile
          title={t("home.next_run")}
          to={next ? agentPath(next.agentId, "schedule") : "/schedules"}
          value={next ? relative(next.nextRun!) : tasks.data.value ? "–" : "\u00a0"}
        >
          {next ? <bdi>{next.name}</bdi> : tasks.data.value && t("home.no_run")}
        </Tile>
      </ul>
      <div class="home-columns">
        <Activity />
        <div class="home-side">
          <Attention agents={list} showsCalm />
          <FirstSteps agents={list} />
        </div>
      </div>
      <AgentCards known={{ ...spent.data.value, tasks: tasks.data.value, talks: talks.data.value }} />
    </>
  );
}
