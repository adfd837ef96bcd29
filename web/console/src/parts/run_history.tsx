import { call } from "../api/client";
import { useLive } from "../api/live";
import type { Task } from "../api/types";
import { duration } from "../app/format";
import { named, t } from "../app/i18n";
import { Badge } from "../components/badge";
import { Loaded, useLoad } from "../components/loaded";
import { Markdown } from "../components/markdown";
import { Time } from "../components/time";

const shown = 20;
const tones = { running: "busy", succeeded: "good", failed: "bad", skipped: "" } as const;

// The last runs of a task with what came of them.
export function RunHistory({ task }: { task: Task }) {
  const runs = useLoad(
    async () => (await call("GET /api/scheduled-tasks/{taskId}/runs", { path: { taskId: task.id }, query: { limit: shown } })).runs,
    [task.id],
  );
  useLive(["run"], runs.reload, ({ id }) => id === task.id);
  return (
    <section class="history" aria-label={t("schedule.history_of", { name: task.name })}>
      <Loaded of={runs}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">{t("run.none")}</p>
          ) : (
            <ul class="rows">
              {list.map((run) => (
                <li key={run.id}>
                  <div>
                    <Badge tone={tones[run.outcome]}>{named("run", run.outcome)}</Badge> <Time at={run.startedAt} />{" "}
                    <span class="quiet">
                      {named("run.trigger", run.trigger)}
                      {typeof run.durationMs === "number" && ` · ${duration(run.durationMs)}`}
                    </span>
                    {run.error && <p class="cause">{run.error}</p>}
                    {run.answer && (
                      <details>
                        <summary>{t("run.answer")}</summary>
                        <Markdown text={run.answer} />
                      </details>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
