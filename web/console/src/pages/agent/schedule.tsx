import { useSignal } from "@preact/signals";
import { call, sentence } from "../../api/client";
import { useLive } from "../../api/live";
import type { Agent, Task } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, type Resource, useLoad } from "../../components/loaded";
import { Menu } from "../../components/menu";
import { Notice } from "../../components/notice";
import { Time } from "../../components/time";
import { AgentFrame } from "../../parts/agent_frame";
import { cronWords } from "../../parts/cron_words";
import { HeartbeatCard } from "../../parts/heartbeat";
import { RunHistory } from "../../parts/run_history";
import { TaskDialog } from "../../parts/task_dialog";

export default function SchedulePage({ id }: PageProps) {
  return (
    <AgentFrame id={id} tab="schedule">
      {(agent) => <Schedule agent={agent} />}
    </AgentFrame>
  );
}

function Schedule({ agent }: { agent: Agent }) {
  const tasks = useLoad(async () => (await call("GET /api/scheduled-tasks", { query: { agentId: agent.id } })).tasks, [agent.id]);
  useLive(["run"], tasks.reload, ({ agentId }) => agentId === undefined || agentId === agent.id);
  const editing = useSignal<Task | "new" | null>(null);
  return (
    <div class="panel-body">
      <div class="page-head">
        <h2>{t("schedule.title")}</h2>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("schedule.new")}
        </Button>
      </div>
      <Loaded of={tasks}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("schedule.empty")} text={t("schedule.empty_text", { name: agent.name })} />
          ) : (
            <List
              items={list}
              label={t("schedule.tools")}
              view={{
                text: ({ name, prompt, cronSchedule }) => `${name} ${prompt} ${cronSchedule}`,
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
                    <TaskRow key={task.id} task={task} tasks={tasks} onEdit={() => (editing.value = task)} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
      <HeartbeatCard agent={agent} />
      {editing.value && (
        <TaskDialog
          agent={agent}
          task={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={tasks.reload}
        />
      )}
    </div>
  );
}

function TaskRow({ task, tasks, onEdit }: { task: Task; tasks: Resource<Task[]>; onEdit: () => void }) {
  const busy = useSignal(false);
  const error = useSignal("");
  const removing = useSignal(false);
  const history = useSignal(false);
  const runs = useSignal(0); // started here, for the history to look again
  const attempt = async (action: () => Promise<unknown>) => {
    busy.value = true;
    error.value = "";
    try {
      await action();
      await tasks.reload();
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };
  const runNow = async () => {
    await call("POST /api/scheduled-tasks/{taskId}/run", { path: { taskId: task.id } });
    history.value = true;
    runs.value++;
  };
  return (
    <li class="task">
      <div>
        <strong>
          <bdi>{task.name}</bdi>
        </strong>{" "}
        {task.madeByAgent && <Badge>{t("schedule.by_agent")}</Badge>}
        {!task.enabled && <Badge>{t("schedule.off")}</Badge>}
        {task.running && <Badge tone="busy">{t("run.running")}</Badge>}
        <p class="quiet">
          <span title={task.cronSchedule}>{cronWords(task.cronSchedule, task.timezone)}</span>
          {task.nextRun && (
            <>
              {" · "}
              {t("schedule.next")} <Time at={task.nextRun} />
            </>
          )}
        </p>
      </div>
      <div class="actions">
        <Button disabled={busy.value} label={t("schedule.run_this", { name: task.name })} onClick={() => void attempt(runNow)}>
          {t("schedule.run")}
        </Button>
        <Menu
          label={t("action.more_about", { name: task.name })}
          items={[
            { title: t("action.edit"), label: t("schedule.edit_this", { name: task.name }), icon: "edit", run: onEdit },
            {
              title: t("schedule.history"),
              label: t("schedule.history_of", { name: task.name }),
              icon: "log",
              run: () => (history.value = !history.value),
            },
            {
              title: task.enabled ? t("schedule.disable") : t("schedule.enable"),
              label: t(task.enabled ? "schedule.disable_this" : "schedule.enable_this", { name: task.name }),
              icon: "power",
              disabled: busy.value,
              run: () => attempt(() => call("PUT /api/scheduled-tasks", { body: { taskId: task.id, enabled: !task.enabled } })),
            },
            {
              title: t("action.delete"),
              label: t("schedule.delete_this", { name: task.name }),
              icon: "trash",
              run: () => (removing.value = true),
            },
          ]}
        />
      </div>
      {error.value && <Notice kind="error">{error.value}</Notice>}
      {history.value && <RunHistory key={runs.value} task={task} />}
      {removing.value && (
        <Confirm
          title={t("schedule.delete_title", { name: task.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = false)}
          action={async () => {
            history.value = false; // its runs go with the task
            await call("DELETE /api/scheduled-tasks", { body: { taskId: task.id } });
            await tasks.reload();
          }}
        >
          <p>{t("schedule.delete_text")}</p>
        </Confirm>
      )}
    </li>
  );
}
