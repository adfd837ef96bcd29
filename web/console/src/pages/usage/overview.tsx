import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agents, refresh } from "../../agents";
import { call, sentence } from "../../api/client";
import type { ModelCall, UsageRow } from "../../api/types";
import { compact, day, money, month, number } from "../../app/format";
import { t } from "../../app/i18n";
import { agentPath } from "../../app/pages";
import { BarChart } from "../../components/bar_chart";
import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty_state";
import { Link } from "../../components/link";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { CallTable } from "../../parts/call_table";
import { PlanCard } from "../../parts/plan_card";
import { SaveCsv } from "../../parts/save_csv";
import { UsageFrame } from "../../parts/usage_frame";

export default function UsagePage() {
  const cost = useLoad(() => call("GET /api/dashboard/cost"));
  useEffect(() => void refresh().catch(() => undefined), []);
  return (
    <UsageFrame>
      <PlanCard />
      <Loaded of={cost}>
        {({ period, total, byDay, byModel, byAgent, ownKeys }) => (
          <>
            <h2>{t("usage.month_total", { month: month(period), total: money(total) })}</h2>
            {Number(ownKeys.total) > 0 && <p class="quiet">{t("usage.own_keys_total", { total: money(ownKeys.total) })}</p>}
            <div class="charts">
              <BarChart
                title={t("usage.cost_by_day")}
                bars={byDay.map((row) => ({ label: day(row.date), value: Number(row.usage.cost), text: money(row.usage.cost) }))}
              />
              <BarChart
                title={t("usage.tokens_by_day")}
                bars={byDay.map((row) => ({
                  label: day(row.date),
                  value: row.usage.totalTokens,
                  text: t("usage.tokens", { count: compact(row.usage.totalTokens) }),
                }))}
              />
            </div>
            <SaveCsv
              title={t("usage.cost_by_day")}
              file={`usage-${period}-days`}
              rows={byDay.map((row) => ({ name: row.date, usage: row.usage }))}
            />
            <UsageTable title={t("usage.by_model")} file={`usage-${period}-models`} rows={byModel} nameOf={(id) => id} />
            <UsageTable
              title={t("usage.by_agent")}
              file={`usage-${period}-agents`}
              rows={byAgent}
              nameOf={(id) => agents.value?.find((agent) => agent.id === id)?.name ?? t("usage.deleted_agent")}
              linkTo={(id) => (agents.value?.some((agent) => agent.id === id) ? agentPath(id, "usage") : "")}
            />
          </>
        )}
      </Loaded>
      <Calls />
    </UsageFrame>
  );
}

interface TableProps {
  title: string;
  file: string;
  rows: UsageRow[];
  nameOf: (id: string) => string;
  linkTo?: (id: string) => string;
}

function UsageTable({ title, file, rows, nameOf, linkTo }: TableProps) {
  return (
    <section>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p class="quiet">{t("usage.none_this_month")}</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("usage.name")}</th>
                <th scope="col">{t("usage.calls")}</th>
                <th scope="col">{t("usage.tokens_in")}</th>
                <th scope="col">{t("usage.tokens_out")}</th>
                <th scope="col">{t("usage.cost")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ id, usage }) => (
                <tr key={id}>
                  <th scope="row">
                    {linkTo?.(id) ? (
                      <Link to={linkTo(id)}>
                        <bdi>{nameOf(id)}</bdi>
                      </Link>
                    ) : (
                      <bdi>{nameOf(id)}</bdi>
                    )}
                  </th>
                  <td>{number(usage.calls)}</td>
                  <td>{number(usage.inputTokens)}</td>
                  <td>{number(usage.outputTokens)}</td>
                  <td>{money(usage.cost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > 0 && (
        <SaveCsv title={title} file={file} rows={rows.map(({ id, usage }) => ({ name: nameOf(id), usage }))} />
      )}
    </section>
  );
}

const pageSize = 50;

function Calls() {
  const calls = useSignal<ModelCall[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const error = useSignal("");
  const more = async () => {
    error.value = "";
    try {
      const page = await call("GET /api/dashboard/calls", { query: { limit: pageSize, before: next.value } });
      calls.value = [...(calls.value ?? []), ...page.calls];
      next.value = page.next ?? null;
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  useEffect(() => void more(), []);
  return (
    <section>
      <h3>{t("usage.calls")}</h3>
      {calls.value?.length === 0 && <EmptyState title={t("usage.no_calls")} text={t("usage.no_calls_text")} />}
      {calls.value && calls.value.length > 0 && <CallTable calls={calls.value} agents={agents.value ?? []} />}
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {(next.value || error.value) && (
        <div class="actions start">
          <Button onClick={() => void more()}>{error.value ? t("action.retry") : t("usage.more")}</Button>
        </div>
      )}
    </section>
  );
}
