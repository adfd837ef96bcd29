// What the agents did, newest first. The filters are the box's own, and in the address.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call, sentence } from "../../api/client";
import type { Span, Trace } from "../../api/types";
import { compact, duration, money, number } from "../../app/format";
import { named, t } from "../../app/i18n";
import { parameter, setParameter } from "../../app/router";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { EmptyState, Loading } from "../../components/empty_state";
import { Link } from "../../components/link";
import { useRefreshOnReturn } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Reload } from "../../components/reload";
import { Table } from "../../components/table";
import { Time } from "../../components/time";
import { FleetFrame } from "../../parts/fleet_frame";

const types = ["plan", "tool_call", "inference", "monitor"] as const;
const ranges: Record<string, number> = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };
const pageSize = 50;

function query(before?: string | null) {
  const type = types.find((one) => one === parameter("type"));
  const errors = parameter("errors");
  const range = ranges[parameter("range")];
  return {
    ...(parameter("agent") && { agent: parameter("agent") }),
    ...(type && { type }),
    ...((errors === "true" || errors === "false") && { errors: errors === "true" }),
    ...(range && { since: new Date(Date.now() - range).toISOString() }),
    ...(before && { before }),
    limit: pageSize,
  };
}

export default function TracesPage() {
  const traces = useSignal<Trace[] | undefined>(undefined);
  const running = useSignal<Span[]>([]);
  const next = useSignal<string | null>(null);
  const error = useSignal("");
  const turn = useSignal(0);
  // From the newest, or what comes after what is shown.
  const load = async (isMore: boolean) => {
    const mine = ++turn.value;
    error.value = "";
    try {
      const page = await call("GET /api/traces", { query: query(isMore ? next.peek() : null) });
      if (mine !== turn.peek()) return;
      traces.value = isMore ? [...(traces.peek() ?? []), ...page.traces] : page.traces;
      if (!isMore) running.value = page.running as Span[];
      next.value = page.next ?? null;
    } catch (cause) {
      if (mine === turn.peek()) error.value = sentence(cause);
    }
  };
  const reload = () => load(false);
  const filters = ["agent", "type", "errors", "range"].map(parameter);
  useEffect(() => void reload(), filters);
  useEffect(() => void refresh().catch(() => undefined), []);
  useRefreshOnReturn({ reload });
  const list = traces.value;
  const filtered = filters.some(Boolean);
  return (
    <FleetFrame>
      <div class="page-head">
        <Filters />
        <Reload of={{ reload }} />
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {running.value.length > 0 && (
        <section aria-labelledby="running-title">
          <h2 id="running-title">{t("trace.running")}</h2>
          <ul class="rows">
            {running.value.map((span) => (
              <li key={span.id}>
                <div>
                  <Link to={`/fleet/traces/${encodeURIComponent(span.traceId)}`}>
                    <bdi>{span.name}</bdi>
                  </Link>{" "}
                  <Badge tone="busy">{named("trace.type", span.type)}</Badge>
                  <p class="quiet">
                    <bdi>{span.agentName ?? t("fleet.no_agent")}</bdi> · <Time at={span.startedAt} ago />
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {list === undefined && !error.value && <Loading />}
      {list?.length === 0 &&
        running.value.length === 0 &&
        (filtered ? (
          <EmptyState title={t("list.nothing")} text={t("list.nothing_hint")}>
            <Button onClick={() => ["agent", "type", "errors", "range"].forEach((name) => setParameter(name, ""))}>
              {t("list.clear")}
            </Button>
          </EmptyState>
        ) : (
          <EmptyState title={t("trace.empty")} text={t("trace.empty_text")} />
        ))}
      {list && list.length > 0 && (
        <Table
          title={t("page.traces")}
          columns={[
            t("trace.name"),
            t("usage.agent"),
            t("trace.type"),
            t("usage.at"),
            { title: t("usage.latency"), align: "end" },
            { title: t("trace.spans"), align: "end" },
            { title: t("usage.tokens_title"), align: "end" },
            { title: t("usage.cost"), align: "end" },
          ]}
        >
          {list.map((trace) => (
            <TraceRow key={trace.id} trace={trace} />
          ))}
        </Table>
      )}
      {next.value && (
        <div class="actions start">
          <Button onClick={() => void load(true)}>{t("usage.more")}</Button>
        </div>
      )}
    </FleetFrame>
  );
}

function TraceRow({ trace }: { trace: Trace }) {
  return (
    <tr>
      <th scope="row">
        <Link to={`/fleet/traces/${encodeURIComponent(trace.id)}`}>
          <bdi>{trace.name}</bdi>
        </Link>{" "}
        {trace.errors > 0 && <Badge tone="bad">{t("trace.errors", { count: number(trace.errors) })}</Badge>}
      </th>
      <td>
        <bdi>{trace.agentName ?? t("fleet.no_agent")}</bdi> {trace.foreign && <Badge>{t("trace.foreign")}</Badge>}
      </td>
      <td>{named("trace.type", trace.type)}</td>
      <td>
        <Time at={trace.startedAt} ago />
      </td>
      <td>{duration(trace.durationMs)}</td>
      <td>{number(trace.spans)}</td>
      <td>{compact(trace.inputTokens + trace.outputTokens)}</td>
      <td>{money(trace.cost)}</td>
    </tr>
  );
}

function Filters() {
  const elsewhere = parameter("agent");
  const known = agents.value ?? [];
  const choose = (name: string) => (event: { currentTarget: HTMLSelectElement }) => setParameter(name, event.currentTarget.value);
  return (
    <div class="list-tools" role="search" aria-label={t("trace.tools")}>
      <select aria-label={t("usage.agent")} value={elsewhere} onChange={choose("agent")}>
        <option value="">{t("trace.all_agents")}</option>
        {known.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {elsewhere && !known.some(({ id }) => id === elsewhere) && <option value={elsewhere}>{elsewhere}</option>}
      </select>
      <select aria-label={t("trace.type")} value={parameter("type")} onChange={choose("type")}>
        <option value="">{t("trace.all_types")}</option>
        {types.map((value) => (
          <option key={value} value={value}>
            {named("trace.type", value)}
          </option>
        ))}
      </select>
      <select aria-label={t("usage.outcome")} value={parameter("errors")} onChange={choose("errors")}>
        <option value="">{t("trace.all_outcomes")}</option>
        <option value="true">{t("trace.with_errors")}</option>
        <option value="false">{t("trace.without_errors")}</option>
      </select>
      <select aria-label={t("limits.period")} value={parameter("range")} onChange={choose("range")}>
        <option value="">{t("trace.all_time")}</option>
        {Object.keys(ranges).map((value) => (
          <option key={value} value={value}>
            {named("trace.range", value)}
          </option>
        ))}
      </select>
    </div>
  );
}
