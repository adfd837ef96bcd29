// How the box is doing, for its administrators.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as account from "../account";
import { actInWords } from "../audit_acts";
import { call } from "../api/client";
import { bytes, duration, number, relative } from "../app/format";
import { t, tn } from "../app/i18n";
import { Icon } from "../components/icon";
import { LineChart } from "../components/line_chart";
import { Link } from "../components/link";
import { Loaded, useLoad } from "../components/loaded";
import { Tile } from "../components/tile";
import { Time } from "../components/time";
import { type Rates, ratesOf, type Reading, readingOf, readMetrics, samplesOf } from "../metrics";

const nextLook = 5_000;
const kept = 120;
const newest = 6;

// What the figures are while the page is looked at.
export function useRates() {
  const rates = useSignal<Rates[]>([]);
  const memory = useSignal<number | undefined>(undefined);
  useEffect(() => {
    let before: Reading | undefined;
    const look = async () => {
      if (document.hidden) return;
      const now = readingOf(samplesOf(await readMetrics().catch(() => "")));
      if (before && now.requests >= before.requests) rates.value = [...rates.peek(), ratesOf(before, now)].slice(-kept);
      memory.value = now.memory;
      before = now;
    };
    void look();
    const timer = setInterval(() => void look(), nextLook);
    return () => clearInterval(timer);
  }, []);
  return { rates, memory };
}

export function RateCharts({ rates }: { rates: Rates[] }) {
  if (rates.length < 2) return <p class="quiet">{t("overview.measuring")}</p>;
  const frame = { from: rates[0]!.at, until: rates.at(-1)!.at, gap: nextLook * 4 };
  const points = (of: (one: Rates) => number | undefined) =>
    rates.filter((one) => of(one) !== undefined).map((one) => ({ at: one.at, value: of(one)! }));
  const rate = (value: number) => t("overview.per_second", { value: number(Math.round(value * 10) / 10) });
  return (
    <div class="charts">
      <LineChart title={t("overview.requests")} points={points(({ requests }) => requests)} text={rate} {...frame} />
      <LineChart title={t("overview.p95")} points={points(({ p95 }) => p95)} text={(value) => duration(value * 1_000)} {...frame} />
      <LineChart title={t("overview.errors")} points={points(({ errors }) => errors)} text={rate} {...frame} />
      <LineChart title={t("overview.memory")} points={points(({ memory }) => memory)} text={bytes} {...frame} />
    </div>
  );
}

export function BoxOverview() {
  const users = useLoad(() => call("GET /api/admin/users", { query: { limit: 200 } }));
  const agents = useLoad(() => call("GET /api/admin/agents", { query: { limit: 1 } }));
  const running = useLoad(() => call("GET /api/admin/agents", { query: { limit: 1, status: "running" } }));
  const { rates, memory } = useRates();
  const found = users.data.value;
  const last = rates.value.at(-1);
  const isAdmin = account.user.value?.isAdmin === true;
  return (
    <>
      <ul class="tiles">
        <Tile
          title={t("overview.users")}
          to="/admin/users"
          value={
            found ? (found.next ? t("overview.users_more", { count: number(found.users.length) }) : number(found.users.length)) : "\u00a0"
          }
        >
          {account.waitingRequests.value > 0 && <Link to="/admin/requests">{tn("overview.waiting", account.waitingRequests.value)}</Link>}
        </Tile>
        <Tile title={t("overview.agents")} to="/admin/agents" value={agents.data.value ? number(agents.data.value.total) : "\u00a0"}>
          {running.data.value && t("overview.agents_running", { count: number(running.data.value.total) })}
        </Tile>
        <Tile title={t("overview.requests")} to="/admin/metrics" value={last ? number(Math.round(last.requests * 10) / 10) : "\u00a0"}>
          {last?.p95 !== undefined && `${t("overview.p95")} ${duration(last.p95 * 1_000)}`}
        </Tile>
        <Tile title={t("overview.memory")} to="/admin/metrics" value={memory.value ? bytes(memory.value) : "\u00a0"} />
        {isAdmin && <LastBackup />}
        {isAdmin && <Outbound />}
      </ul>
      <section class="card" aria-labelledby="rates-title">
        <h2 id="rates-title">{t("overview.now")}</h2>
        <RateCharts rates={rates.value} />
      </section>
      {isAdmin && <Newest />}
    </>
  );
}

function LastBackup() {
  const backups = useLoad(async () => (await call("GET /api/admin/backups")).backups);
  const last = backups.data.value?.filter(({ complete }) => complete).sort((a, b) => b.madeAt.localeCompare(a.madeAt))[0];
  return (
    <Tile
      title={t("overview.backup")}
      to="/admin/backups"
      value={last ? relative(last.madeAt) : backups.data.value ? t("overview.no_backup") : "\u00a0"}
    >
      {last && bytes(last.bytes)}
    </Tile>
  );
}

// Lines of the ledger that are looked at: of an hour and a destination each.
const lines = 200;

function Outbound() {
  const egress = useLoad(() => call("GET /api/admin/egress", { query: { limit: lines } }));
  const found = egress.data.value?.lines;
  const refused = found?.reduce((sum, line) => sum + line.refused, 0) ?? 0;
  const hours = new Set(found?.map(({ hour }) => hour)).size;
  return (
    <Tile
      title={t("overview.egress")}
      to="/admin/egress"
      value={found ? bytes(found.reduce((sum, { bytesOut }) => sum + bytesOut, 0)) : "\u00a0"}
    >
      {found && (refused > 0 ? tn("overview.refused", refused) : t("overview.egress_hours", { count: number(hours) }))}
    </Tile>
  );
}

function Newest() {
  const audit = useLoad(async () => (await call("GET /api/admin/audit", { query: { limit: newest } })).entries);
  return (
    <section class="card activity" aria-labelledby="audit-title">
      <div class="page-head">
        <h2 id="audit-title">{t("overview.newest")}</h2>
        <Link to="/admin/audit">{t("page.audit")}</Link>
      </div>
      <Loaded of={audit}>
        {(entries) => (
          <ol>
            {entries.map(({ id, at, act, subject, outcome }) => (
              <li key={id} class="activity-row">
                <Icon name={outcome === "ok" ? "check" : "alert"} />
                <span class="activity-text">
                  {actInWords(act)} <bdi class="quiet">{subject}</bdi>
                </span>
                <Time at={at} ago />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  );
}
