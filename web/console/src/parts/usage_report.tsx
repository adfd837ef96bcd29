// The usage of an account or of one agent: a range that rules all of it, figures, a chart, bars by model and agent, calls.
import { useSignal } from "@preact/signals";
import type { Cap, ModelCall } from "../api/types";
import { compact, day, money, moneyMark, number, percent } from "../app/format";
import { t, tn } from "../app/i18n";
import { csv, download } from "../app/download";
import { parameter, setParameter } from "../app/router";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { colours, StackedChart } from "../components/stacked_chart";
import { Tile } from "../components/tile";
import { type Calls, daysOf, forecast, type Range, ranges, type Sum, sumsBy, total, within } from "../usage_data";
import { CallTable } from "./call_table";

const measures = ["cost", "tokens"] as const;
const groupings = ["model", "agent"] as const;

const dollars = (value: number) => money(value.toFixed(6));
// Calls of unknown cost are not free.
function costOf({ cost, unknown }: Sum): string {
  if (unknown === 0) return dollars(cost);
  return cost > 0 ? t("usage.at_least", { amount: dollars(cost) }) : t("usage.cost_unknown");
}
const tokensOf = ({ inputTokens, outputTokens }: Sum) => inputTokens + outputTokens;

export const chosenRange = (): Range => ranges.find((one) => one === parameter("range")) ?? "30";

export function RangeChoice() {
  const range = chosenRange();
  return (
    <div class="segments" role="group" aria-label={t("usage.range")}>
      {ranges.map((one) => (
        <Button key={one} kind="ghost" class="small" pressed={one === range} onClick={() => setParameter("range", one === "30" ? "" : one)}>
          {t(`usage.range.${one}`)}
        </Button>
      ))}
    </div>
  );
}

interface Props {
  data: Calls;
  agents: { id: string; name: string }[];
  limit?: Cap | undefined; // of money, for the chart
  one?: boolean; // of one agent
  linkTo?: (agentId: string) => string;
}

export function UsageReport({ data: { calls, complete }, agents, limit, one = false, linkTo }: Props) {
  const shows = useSignal<"cost" | "tokens">("cost");
  const range = chosenRange();
  const days = daysOf(range);
  const inside = within(calls, days);
  const sum = total(inside);
  const month = total(within(calls, daysOf("month")));
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name ?? (id ? t("usage.deleted_agent") : t("usage.by_keys"));
  const by = one ? "model" : parameter("by") === "agent" ? "agent" : "model";
  const keyOf = by === "agent" ? (call: ModelCall) => call.agentId ?? "" : (call: ModelCall) => call.model;
  const groups = sumsBy(inside, keyOf);
  const named = groups.slice(0, groups.length > colours ? colours - 1 : colours).map(({ id }) => id);
  const hasRest = groups.length > named.length;
  const stacks = days.map((date) => {
    const ofDay = inside.filter(({ at }) => at.startsWith(date));
    const value = (list: ModelCall[]) => (shows.value === "cost" ? total(list).cost : tokensOf(total(list)));
    const parts = named.map((id) => value(ofDay.filter((call) => keyOf(call) === id)));
    if (hasRest) parts.push(value(ofDay.filter((call) => !named.includes(keyOf(call)))));
    return { label: day(date), parts };
  });
  const series = [...named.map((id) => (by === "agent" ? nameOf(id) : id)), ...(hasRest ? [t("usage.others")] : [])];
  const tokens = (value: number) => t("usage.tokens", { count: compact(value) });
  const perDay = limit?.usd && limit.period === "day" ? Number(limit.usd) : undefined;
  if (calls.length === 0) return <EmptyState title={t("usage.no_calls")} text={t("usage.no_calls_text")} />;
  return (
    <>
      {!complete && <p class="quiet">{t("usage.incomplete")}</p>}
      <ul class="tiles">
        <Tile title={t("usage.cost")} value={costOf(sum)}>
          {sum.unknown > 0 ? tn("usage.unknown_calls", sum.unknown) : t(`usage.range.${range}`)}
        </Tile>
        <Tile title={t("usage.forecast")} value={dollars(forecast(month.cost))}>
          {t("usage.forecast_note", { amount: dollars(month.cost) })}
        </Tile>
        <Tile title={t("usage.tokens_title")} value={compact(tokensOf(sum))}>
          {t("usage.in_and_out", { in: compact(sum.inputTokens), out: compact(sum.outputTokens) })}
        </Tile>
        <Tile title={t("usage.calls")} value={number(sum.calls)}>
          {sum.calls > 0 && t("usage.failed_share", { share: percent(sum.failed / sum.calls) })}
        </Tile>
      </ul>
      <section class="card" aria-label={t("usage.by_day")}>
        <div class="page-head">
          <div class="segments" role="group" aria-label={t("usage.by_day")}>
            {measures.map((what) => (
              <Button key={what} kind="ghost" class="small" pressed={shows.value === what} onClick={() => (shows.value = what)}>
                {t(what === "cost" ? "usage.cost" : "usage.tokens_title")}
              </Button>
            ))}
          </div>
          <div class="actions">
            {!one && (
              <div class="segments" role="group" aria-label={t("usage.group")}>
                {groupings.map((what) => (
                  <Button
                    key={what}
                    kind="ghost"
                    class="small"
                    pressed={by === what}
                    onClick={() => setParameter("by", what === "model" ? "" : what)}
                  >
                    {t(what === "model" ? "usage.by_model" : "usage.by_agent")}
                  </Button>
                ))}
              </div>
            )}
            <Button
              kind="ghost"
              class="icon-only"
              label={t("usage.save_csv_of", { title: t("usage.cost_by_day") })}
              title={t("usage.save_csv")}
              onClick={() =>
                saveSums({
                  file: "days",
                  sums: days.map((date) => ({ ...total(inside.filter(({ at }) => at.startsWith(date))), id: date })),
                })
              }
            >
              <Icon name="download" />
            </Button>
          </div>
        </div>
        <StackedChart
          title={t(shows.value === "cost" ? "usage.cost_by_day" : "usage.tokens_by_day")}
          series={series}
          stacks={stacks}
          text={shows.value === "cost" ? dollars : tokens}
          axis={shows.value === "cost" ? moneyMark : compact}
          limit={shows.value === "cost" ? perDay : undefined}
          limitName={t("usage.limit")}
          unfinished
          empty={t(shows.value === "cost" ? "usage.free" : "usage.none")}
        />
      </section>
      <div class="halves">
        {!one && (
          <Ranking
            title={t("usage.by_agent")}
            file="agents"
            sums={sumsBy(inside, (call) => call.agentId ?? "")}
            nameOf={nameOf}
            {...(linkTo && { linkTo })}
          />
        )}
        <Ranking title={t("usage.by_model")} file="models" sums={sumsBy(inside, ({ model }) => model)} nameOf={(id) => id} />
      </div>
      <section>
        <h2 class="section-title">{t("usage.calls")}</h2>
        <CallTable calls={inside} agents={agents} />
      </section>
    </>
  );
}

function saveSums({ file, sums, nameOf = (id) => id }: Pick<RankingProps, "file" | "sums"> & Partial<RankingProps>) {
  const head = [t("usage.name"), t("usage.calls"), t("usage.tokens_in"), t("usage.tokens_out"), t("usage.cost")];
  const costs = ({ cost, unknown }: Sum) => (unknown > 0 && cost === 0 ? t("usage.cost_unknown") : cost.toFixed(6));
  const rows = sums.map((sum) => [nameOf(sum.id), sum.calls, sum.inputTokens, sum.outputTokens, costs(sum)]);
  download(`usage-${file}.csv`, csv([head, ...rows]), "text/csv");
}

interface RankingProps {
  title: string;
  file: string;
  sums: Sum[];
  nameOf: (id: string) => string;
  linkTo?: (id: string) => string;
}

const mostBars = 8;
function Ranking({ title, file, sums, nameOf, linkTo }: RankingProps) {
  const all = useSignal(false);
  const byCost = sums.some(({ cost }) => cost > 0);
  const value = (sum: Sum) => (byCost ? sum.cost : tokensOf(sum));
  const top = Math.max(...sums.map(value), 0);
  return (
    <section class="card" aria-label={title}>
      <div class="page-head">
        <h2>{title}</h2>
        {sums.length > 0 && (
          <Button
            kind="ghost"
            class="icon-only"
            label={t("usage.save_csv_of", { title })}
            title={t("usage.save_csv")}
            onClick={() => saveSums({ file, sums, nameOf })}
          >
            <Icon name="download" />
          </Button>
        )}
      </div>
      {sums.length === 0 && <p class="quiet">{t("usage.none")}</p>}
      <ol class="ranking">
        {sums.slice(0, all.value ? undefined : mostBars).map((sum) => (
          <li key={sum.id}>
            <p>
              {linkTo?.(sum.id) ? (
                <Link to={linkTo(sum.id)}>
                  <bdi>{nameOf(sum.id)}</bdi>
                </Link>
              ) : (
                <bdi>{nameOf(sum.id)}</bdi>
              )}
              <span>{byCost ? costOf(sum) : t("usage.tokens", { count: compact(tokensOf(sum)) })}</span>
            </p>
            <svg class="rank-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect class="track" width="100" height="4" />
              <rect class="fill" width={top > 0 ? Math.max((value(sum) / top) * 100, 0.5) : 0} height="4" />
            </svg>
            <p class="quiet">{t("usage.calls_and_tokens", { calls: number(sum.calls), tokens: compact(tokensOf(sum)) })}</p>
          </li>
        ))}
      </ol>
      {sums.length > mostBars && !all.value && (
        <Button class="small" onClick={() => (all.value = true)}>
          {t("usage.show_all", { count: number(sums.length) })}
        </Button>
      )}
    </section>
  );
}
