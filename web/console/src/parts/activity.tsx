// What the agents did, newest first.
import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Trace } from "../api/types";
import { date, duration, money, time } from "../app/format";
import { named, t } from "../app/i18n";
import { Avatar } from "../components/avatar";
import { Icon } from "../components/icon";
import { Link } from "../components/link";
import { Loaded, useLoad, useRefreshOnReturn } from "../components/loaded";

const shown = 12;

export function Activity() {
  const traces = useLoad(async () => (await call("GET /api/traces", { query: { limit: shown } })).traces);
  useLive(["message", "run"], traces.reload);
  useRefreshOnReturn(traces);
  return (
    <section class="card activity" aria-labelledby="activity-title">
      <div class="page-head">
        <h2 id="activity-title">{t("home.activity")}</h2>
        <Link to="/fleet/traces">{t("home.all_activity")}</Link>
      </div>
      <Loaded of={traces}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("home.no_activity")}</p>
          ) : (
            <ol>
              {list.map((trace, index) => (
                <Entry key={trace.id} trace={trace} before={list[index - 1]} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

const dayOf = (trace: Trace | undefined) => (trace ? new Date(trace.startedAt).toDateString() : new Date().toDateString());

// What the watchdog saw is named "state" or "state: reason".
const stateOf = (name: string) => {
  const [state, ...reason] = name.split(": ");
  return [named("watchdog", state ?? ""), ...reason].join(": ");
};

function Entry({ trace, before }: { trace: Trace; before: Trace | undefined }) {
  const name = trace.agentName ?? t("usage.deleted_agent");
  const isState = trace.type === "monitor";
  const isDirect = !trace.agentId && trace.type === "inference"; // from the playground or with an API key
  return (
    <>
      {dayOf(before) !== dayOf(trace) && <li class="activity-day">{date(trace.startedAt)}</li>}
      <li class="activity-row">
        {trace.agentId ? <Avatar id={trace.agentId} name={name} size="small" /> : <Icon name="activity" />}
        <Link to={`/fleet/traces/${encodeURIComponent(trace.id)}`} class="activity-text">
          <bdi>{isDirect ? t("trace.asked") : t(`trace.did.${trace.type}`, { name })}</bdi>{" "}
          <bdi class="quiet">{isState ? stateOf(trace.name) : trace.name}</bdi>
        </Link>
        {trace.status === "error" && (
          <span class="status bad">
            <Icon name="alert" size={14} /> {named("trace.status", trace.status)}
          </span>
        )}
        <span class="quiet activity-facts">
          {!isState && duration(trace.durationMs)}
          {Number(trace.cost) > 0 && ` · ${money(trace.cost)}`}
        </span>
        <time class="quiet" dateTime={trace.startedAt}>
          {time(trace.startedAt)}
        </time>
      </li>
    </>
  );
}
