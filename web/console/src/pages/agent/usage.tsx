import { call } from "../../api/client";
import type { Agent, ModelCall } from "../../api/types";
import { compact, day, money, month, number } from "../../app/format";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { BarChart } from "../../components/bar_chart";
import { EmptyState } from "../../components/empty_state";
import { Loaded, useLoad } from "../../components/loaded";
import { AgentFrame } from "../../parts/agent_frame";
import { CallTable } from "../../parts/call_table";
import { Totals } from "../../parts/usage_totals";

export default function AgentUsagePage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="usage">
      {(agent) => <AgentUsage agent={agent} />}
    </AgentFrame>
  );
}

const days = 30;
const pageSize = 200;
// Calls of all agents that are looked through for those of this one.
const mostCalls = 2_000;

interface Found {
  calls: ModelCall[];
  complete: boolean; // all calls of the last days were looked at
}

// The box lists the calls of all agents together, newest first.
async function callsOf(agentId: string): Promise<Found> {
  const since = new Date(Date.now() - days * 86_400_000).toISOString();
  const calls: ModelCall[] = [];
  let before: string | null | undefined;
  for (let seen = 0; seen < mostCalls; seen += pageSize) {
    const page = await call("GET /api/dashboard/calls", { query: { before, limit: pageSize } });
    calls.push(...page.calls.filter((one) => one.agentId === agentId && one.at >= since));
    before = page.next;
    if (!before || (page.calls.at(-1)?.at ?? "") < since) return { calls, complete: true };
  }
  return { calls, complete: false };
}

function AgentUsage({ agent }: { agent: Agent }) {
  const cost = useLoad(() => call("GET /api/dashboard/cost"), [agent.id]);
  const calls = useLoad(() => callsOf(agent.id), [agent.id]);
  return (
    <div class="panel-body">
      <Loaded of={cost}>
        {({ period, byAgent }) => {
          const usage = byAgent.find((row) => row.id === agent.id)?.usage;
          return (
            <>
              <h2>{month(period)}</h2>
              {usage ? <Totals usage={usage} /> : <p class="quiet">{t("usage.none_this_month")}</p>}
            </>
          );
        }}
      </Loaded>
      <Loaded of={calls}>
        {({ calls: list, complete }) =>
          list.length === 0 ? (
            <EmptyState title={t("usage.no_calls")} text={t("usage.no_calls_agent", { name: agent.name })} />
          ) : (
            <>
              {!complete && <p class="quiet">{t("usage.incomplete")}</p>}
              <BarChart title={t("usage.tokens_by_day")} bars={byDay(list)} />
              <ByModel calls={list} />
              <h3>{t("usage.calls")}</h3>
              <CallTable calls={list.slice(0, 100)} agents={[agent]} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

const tokensOf = (one: ModelCall) => one.inputTokens + one.outputTokens;

function byDay(calls: ModelCall[]) {
  const totals = new Map<string, number>();
  for (let back = days - 1; back >= 0; --back)
    totals.set(new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10), 0);
  for (const one of calls) {
    const date = one.at.slice(0, 10);
    if (totals.has(date)) totals.set(date, totals.get(date)! + tokensOf(one));
  }
  return [...totals].map(([date, value]) => ({ label: day(date), value, text: t("usage.tokens", { count: compact(value) }) }));
}

function ByModel({ calls }: { calls: ModelCall[] }) {
  const totals = new Map<string, { calls: number; tokens: number; cost: number }>();
  for (const one of calls) {
    const sum = totals.get(one.model) ?? { calls: 0, tokens: 0, cost: 0 };
    sum.calls += 1;
    sum.tokens += tokensOf(one);
    sum.cost += Number(one.cost ?? 0);
    totals.set(one.model, sum);
  }
  const rows = [...totals].sort(([, a], [, b]) => b.tokens - a.tokens);
  return (
    <>
      <h3>{t("usage.by_model")}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("usage.by_model")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("usage.model")}</th>
              <th scope="col">{t("usage.calls")}</th>
              <th scope="col">{t("usage.tokens_title")}</th>
              <th scope="col">{t("usage.cost")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([model, sum]) => (
              <tr key={model}>
                <th scope="row">{model}</th>
                <td>{number(sum.calls)}</td>
                <td>{number(sum.tokens)}</td>
                <td>{money(sum.cost.toFixed(6))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
