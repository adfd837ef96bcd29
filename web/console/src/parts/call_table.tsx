// Single model calls, as the ledger has them. One of them opens at the side.
import { useSignal } from "@preact/signals";
import type { ModelCall } from "../api/types";
import { duration, money, number } from "../app/format";
import { named, t } from "../app/i18n";
import { parameter, setParameter } from "../app/router";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { sorted, Table } from "../components/table";
import { Time } from "../components/time";
import { isCostUnknown } from "../usage_data";

interface Props {
  calls: ModelCall[];
  agents: { id: string; name: string }[];
}

// Rows that are drawn at once.
const page = 50;

function costOf(one: ModelCall): string {
  if (one.ownKey) return t("usage.own_key");
  if (isCostUnknown(one)) return t("usage.cost_unknown");
  return typeof one.cost === "string" ? money(one.cost) : "–";
}

export function CallTable({ calls, agents }: Props) {
  const pages = useSignal(1);
  const opened = useSignal<ModelCall | undefined>(undefined);
  const nameOf = (id: string | null | undefined) =>
    id ? (agents.find((agent) => agent.id === id)?.name ?? t("usage.deleted_agent")) : "–";
  const onlyFailed = parameter("calls") === "failed";
  const shown = sorted(onlyFailed ? calls.filter(({ outcome }) => outcome !== "ok") : calls, {
    at: ({ at }) => at,
    agent: ({ agentId }) => nameOf(agentId),
    model: ({ model }) => model,
    in: ({ inputTokens }) => inputTokens,
    out: ({ outputTokens }) => outputTokens,
    cost: ({ cost }) => Number(cost ?? 0),
    latency: ({ latencyMs }) => latencyMs,
  });
  return (
    <>
      <div class="list-tools">
        <label class="choice">
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={(event) => setParameter("calls", event.currentTarget.checked ? "failed" : "")}
          />
          {t("usage.only_failed")}
        </label>
      </div>
      {shown.length === 0 ? (
        <p class="quiet">{t("list.nothing")}</p>
      ) : (
        <Table
          title={t("usage.calls")}
          columns={[
            { title: t("usage.at"), sort: "at" },
            { title: t("usage.agent"), sort: "agent" },
            { title: t("usage.model"), sort: "model" },
            { title: t("usage.outcome") },
            { title: t("usage.tokens_in"), align: "end", sort: "in" },
            { title: t("usage.tokens_out"), align: "end", sort: "out" },
            { title: t("usage.cost"), align: "end", sort: "cost" },
            { title: t("usage.latency"), align: "end", sort: "latency" },
          ]}
        >
          {shown.slice(0, pages.value * page).map((one) => (
            <tr key={one.id}>
              <td>
                <button type="button" class="link" onClick={() => (opened.value = one)}>
                  <Time at={one.at} />
                </button>
              </td>
              <td>
                <bdi>{nameOf(one.agentId)}</bdi>
              </td>
              <td>{one.model}</td>
              <td>
                <Badge tone={one.outcome === "ok" ? "" : "bad"}>{named("usage.outcome", one.outcome)}</Badge>
              </td>
              <td>{number(one.inputTokens)}</td>
              <td>{number(one.outputTokens)}</td>
              <td>{costOf(one)}</td>
              <td>{duration(one.latencyMs)}</td>
            </tr>
          ))}
        </Table>
      )}
      {shown.length > pages.value * page && (
        <div class="actions start">
          <Button onClick={() => pages.value++}>{t("usage.more")}</Button>
        </div>
      )}
      {opened.value && <CallSheet one={opened.value} agent={nameOf(opened.value.agentId)} onClose={() => (opened.value = undefined)} />}
    </>
  );
}

function CallSheet({ one, agent, onClose }: { one: ModelCall; agent: string; onClose: () => void }) {
  const facts: [string, string][] = [
    [t("usage.agent"), agent],
    [t("usage.model"), `${one.model} (${one.provider})`],
    [t("usage.outcome"), named("usage.outcome", one.outcome)],
    [t("usage.tokens_in"), number(one.inputTokens)],
    [t("usage.tokens_out"), number(one.outputTokens)],
    [t("usage.cached"), number(one.cachedTokens)],
    [t("usage.cost"), costOf(one)],
    [t("usage.latency"), duration(one.latencyMs)],
    ...(typeof one.timeToFirstTokenMs === "number" ? [[t("usage.first_token"), duration(one.timeToFirstTokenMs)] as [string, string]] : []),
    ...(one.tools.length > 0 ? [[t("usage.tools"), one.tools.join(", ")] as [string, string]] : []),
    ...one.tried.map((tried): [string, string] => [t("usage.tried"), tried]),
  ];
  return (
    <Dialog title={t("usage.one_call")} class="sheet" dismissible onClose={onClose}>
      <p class="quiet">
        <Time at={one.at} />
      </p>
      <dl class="pairs">
        {facts.map(([title, value], index) => (
          <div key={index}>
            <dt>{title}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button onClick={onClose}>{t("action.close")}</Button>
      </div>
    </Dialog>
  );
}
