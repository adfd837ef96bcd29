import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isRunning, lifecycle } from "../../agents";
import { call, sentence } from "../../api/client";
import { useLive } from "../../api/live";
import type { Agent, AgentDetail } from "../../api/types";
import { bytes, dateTime, duration, number } from "../../app/format";
import { named, t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { AgentFrame } from "../../parts/agent_frame";
import { UsageHistory } from "../../parts/usage_history";

export default function HealthPage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="health">
      {(agent) => <Health agent={agent} />}
    </AgentFrame>
  );
}

// Milliseconds between measurements.
const nextLook = 5_000;
type Watch = AgentDetail["watchdog"];
const tones: Record<Watch["state"], "" | "good" | "busy" | "bad"> = {
  stopped: "",
  starting: "busy",
  running: "good",
  degraded: "bad",
  crash_loop: "bad",
  repairing: "busy",
};

function Health({ agent }: { agent: Agent }) {
  const detail = useLoad(
    async () => (await call("GET /api/agents/{id}", { path: { id: agent.id } })).agent,
    [agent.id, agent.status, agent.updatedAt],
  );
  const stats = useLoad(() => call("GET /api/agents/{id}/stats", { path: { id: agent.id } }), [agent.id, agent.status]);
  const error = useSignal("");
  useLive(["health"], detail.reload, ({ id }) => id === agent.id);
  // Measurements are no events.
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) return;
      void detail.reload();
      void stats.reload();
    }, nextLook);
    return () => clearInterval(timer);
  }, [agent.id]);
  const repair = async () => {
    error.value = "";
    try {
      await lifecycle(agent, "repair");
      await detail.reload();
    } catch (cause) {
      error.value = sentence(cause);
    }
  };
  return (
    <div class="panel-body">
      <div class="page-head">
        <h2>{t("health.title")}</h2>
        <Button onClick={() => void repair()}>{t("health.repair")}</Button>
      </div>
      <p class="quiet">{t("health.repair_about")}</p>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      <Loaded of={detail}>
        {({ watchdog, runtimeVersion, startedAt }) => (
          <>
            <dl class="figures">
              <Figure title={t("health.state")}>
                <Badge tone={tones[watchdog.state]}>{named("watchdog", watchdog.state)}</Badge> <Time at={watchdog.since} ago />
              </Figure>
              <Figure title={t("health.last_probe")}>{watchdog.lastProbe ? <Time at={watchdog.lastProbe} ago /> : "–"}</Figure>
              <Figure title={t("health.crashes")}>{number(watchdog.crashes)}</Figure>
              <Figure title={t("health.repairs")}>{number(watchdog.repairs)}</Figure>
              <Figure title={t("health.started")}>{startedAt ? <Time at={startedAt} /> : "–"}</Figure>
              <Figure title={t("health.version")}>{runtimeVersion || "–"}</Figure>
              {isRunning(agent) && stats.data.value?.status === "ok" && (
                <>
                  <Figure title={t("health.cpu")}>{number(Math.round(stats.data.value.cpuPercent * 10) / 10)} %</Figure>
                  <Figure title={t("health.memory")}>{bytes(stats.data.value.memoryBytes)}</Figure>
                </>
              )}
            </dl>
            <h3>{t("health.timeline")}</h3>
            <Timeline watch={watchdog} />
          </>
        )}
      </Loaded>
      <UsageHistory agent={agent} />
    </div>
  );
}

function Figure({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// The changes of state, as a strip and as a list, the newest first.
function Timeline({ watch: { history } }: { watch: Watch }) {
  if (history.length === 0) return <p class="quiet">{t("health.no_history")}</p>;
  const now = Date.now();
  const begin = new Date(history[0]!.at).getTime();
  const whole = Math.max(now - begin, 1);
  const spans = history.map((change, index) => {
    const from = new Date(change.at).getTime();
    const until = index + 1 < history.length ? new Date(history[index + 1]!.at).getTime() : now;
    return { ...change, x: ((from - begin) / whole) * 100, width: ((until - from) / whole) * 100, lasted: until - from };
  });
  return (
    <>
      <svg class="timeline" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={t("health.strip")}>
        {spans.map(({ at, state, x, width }) => (
          <rect key={at} class={`state-${tones[state] || "rest"}`} x={x} width={width} height="10" />
        ))}
      </svg>
      <ol class="rows" reversed>
        {spans.toReversed().map(({ at, state, reason, lasted }) => (
          <li key={at}>
            <div>
              <Badge tone={tones[state]}>{named("watchdog", state)}</Badge> <time dateTime={at}>{dateTime(at)}</time>{" "}
              <span class="quiet">{duration(lasted)}</span>
              {reason && <p class="quiet">{reason}</p>}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
