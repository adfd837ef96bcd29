import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { SharedAgent, Task } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Badge } from "../../components/badge";
import { Button } from "../../components/button";
import { Confirm } from "../../components/confirm";
import { EmptyState } from "../../components/empty_state";
import { Loaded, useLoad, useRefreshOnReturn } from "../../components/loaded";
import { Time } from "../../components/time";
import { cronWords } from "../../parts/cron_words";
import { RowActions } from "../../parts/row_actions";
import { SharedFrame } from "../../parts/shared_frame";
import { TaskDialog } from "../../parts/task_dialog";

// A builder's own prompts for a shared agent; their answers are in the builder's conversations.
export default function SharedSchedulePage({ id }: PageProps) {
  return (
    <SharedFrame id={id} tab="schedule">
      {(agent) => <Schedule agent={agent} />}
    </SharedFrame>
  );
}

function Schedule({ agent }: { agent: SharedAgent }) {
  const path = { id: agent.id };
  const tasks = useLoad(async () => (await call("GET /api/shared/{id}/schedules", { path })).tasks, [agent.id]);
  useRefreshOnReturn(tasks);
  const editing = useSignal<Task | "new" | null>(null);
  const removing = useSignal<Task | null>(null);
  const enable = async ({ id, enabled }: Task) => {
    await call("PATCH /api/shared/{id}/schedules/{task}", { path: { ...path, task: id }, body: { enabled: !enabled } });
    await tasks.reload();
  };
  return (
    <div class="panel-body">
      <div class="page-head">
        <h2>{t("schedule.title")}</h2>
        <Button kind="primary" onClick={() => (editing.value = "new")}>
          {t("schedule.new")}
        </Button>
      </div>
      <p class="quiet">{t("shared.schedule_about")}</p>
      <Loaded of={tasks}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t("schedule.empty")} text={t("schedule.empty_text", { name: agent.name })} />
          ) : (
            <ul class="rows">
              {list.map((task) => (
                <li key={task.id} class="task">
                  <div>
                    <strong>
                      <bdi>{task.name}</bdi>
                    </strong>{" "}
                    {!task.enabled && <Badge>{t("schedule.off")}</Badge>}
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
                  <RowActions
                    of={task.name}
                    first={{
                      title: t("action.edit"),
                      label: t("schedule.edit_this", { name: task.name }),
                      run: () => void (editing.value = task),
                    }}
                    more={[
                      {
                        title: t(task.enabled ? "schedule.disable" : "schedule.enable"),
                        label: t(task.enabled ? "schedule.disable_this" : "schedule.enable_this", { name: task.name }),
                        icon: "power",
                        run: () => enable(task),
                      },
                      {
                        title: t("action.delete"),
                        label: t("schedule.delete_this", { name: task.name }),
                        icon: "trash",
                        run: () => void (removing.value = task),
                      },
                    ]}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing.value && (
        <TaskDialog
          agent={{ ...agent, shared: true }}
          task={editing.value === "new" ? undefined : editing.value}
          onClose={() => (editing.value = null)}
          onSaved={tasks.reload}
        />
      )}
      {removing.value && (
        <Confirm
          title={t("schedule.delete_title", { name: removing.value.name })}
          confirm={t("action.delete")}
          danger
          onClose={() => (removing.value = null)}
          action={async () => {
            await call("DELETE /api/shared/{id}/schedules/{task}", { path: { ...path, task: removing.value!.id } });
            await tasks.reload();
          }}
        >
          <p>{t("schedule.delete_text")}</p>
        </Confirm>
      )}
    </div>
  );
}
