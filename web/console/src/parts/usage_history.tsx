import { useEffect } from "preact/hooks";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { bytes, number } from "../app/format";
import { t } from "../app/i18n";
import { LineChart } from "../components/line_chart";
import { Loaded, useLoad } from "../components/loaded";

const day = 86_400_000;
// The box measures once a minute.
const nextLook = 60_000;

const cores = (value: number) => `${number(Math.round(value * 10) / 10)} %`;

// Processor and memory of an agent over the last day.
export function UsageHistory({ agent }: { agent: Agent }) {
  const found = useLoad(() => call("GET /api/agents/{id}/stats/history", { path: { id: agent.id } }), [agent.id]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void found.reload();
    }, nextLook);
    return () => clearInterval(timer);
  }, [agent.id]);
  return (
    <section aria-labelledby="day-title">
      <h3 id="day-title">{t("health.day")}</h3>
      <Loaded of={found}>
        {({ history, intervalSeconds }) => {
          if (history.length === 0) return <p class="quiet">{t("health.not_measured")}</p>;
          const until = Date.now();
          const frame = { from: until - day, until, gap: intervalSeconds * 2_000 };
          const points = (of: "cpuPercent" | "memoryBytes") =>
            history.map((one) => ({ at: Math.max(new Date(one.at).getTime(), frame.from), value: one[of] }));
          return (
            <div class="charts">
              <LineChart title={t("health.cpu")} points={points("cpuPercent")} text={cores} {...frame} />
              <LineChart title={t("health.memory")} points={points("memoryBytes")} text={bytes} {...frame} />
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}
