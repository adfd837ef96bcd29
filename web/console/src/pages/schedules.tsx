// The scheduled prompts of all agents.
import { useEffect } from "preact/hooks";
import { nameOf, watch } from "../agents";
import { call } from "../api/client";
import { useLive } from "../api/live";
import { relative } from "../app/format";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { Avatar } from "../components/avatar";
import { Badge } from "../components/badge";
import { EmptyState } from "../components/empty_state";
import { Link } from "../components/link";
import { List } from "../components/list_tools";
import { Loaded, useLoad } from "../components/loaded";
import { cronWords } from "../parts/cron_words";

export default function SchedulesPage() {
  useEffect(watch, []);
  const tasks = useLoad(async () => (await call("GET /api/scheduled-tasks")).tasks);
  useLive(["run"], tasks.reload);
  return (
    <div class="column">
      <header>
        <h1>{t("page.schedules")}</h1>
        <p class="quiet">{t("schedules.about")}</p>
      </header>
      <Loaded of={tasks}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("schedules.empty")} text={t("schedules.empty_text")} />
          ) : (
            <List
              items={list}
              label={t("schedule.tools")}
              view={{
                text: ({ name, prompt, agentId }) => `${name} ${prompt} ${nameOf(agentId)}`,
                orders: [
                  { value: "next", title: t("schedule.by_next"), compare: (a, b) => (a.nextRun ?? "9").localeCompare(b.nextRun ?? "9") },
                  { value: "name", title: t("sort.name"), compare: (a, b) => a.name.localeCompare(b.name) },
                ],
                filter: {
                  title: t("schedule.filter"),
                  choices: [
                    { value: "on", title: t("schedule.on") },
                    { value: "off", title: t("schedule.off") },
                  ],
                  matches: (task, value) => task.enabled === (value === "on"),
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((task) => (
                    <li key={task.id}>
                      <div class="with-face">
                        <Avatar id={task.agentId} name={nameOf(task.agentId)} />
                        <div>
                          <Link to={agentPath(task.agentId, "schedule")} entry>
                            <bdi>{task.name}</bdi>
                          </Link>{" "}
                          {!task.enabled && <Badge>{t("schedule.off")}</Badge>}
                          {task.running && <Badge tone="busy">{t("run.running")}</Badge>}
                          <p class="quiet">
                            <bdi>{nameOf(task.agentId)}</bdi> · {cronWords(task.cronSchedule, task.timezone)}
                          </p>
                        </div>
                      </div>
                      {task.nextRun && task.enabled && (
                        <time class="quiet" dateTime={task.nextRun}>
                          {relative(task.nextRun)}
                        </time>
                      )}
                    </li>
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
    </div>
  );
}
