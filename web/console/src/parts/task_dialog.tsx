import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { call, sentence } from "../api/client";
import type { Task } from "../api/types";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Checkbox, Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Time } from "../components/time";
import { EffortSelect, modelIn, ModelSelect } from "./model_select";

interface Props {
  agent: { id: string; model: string; shared?: boolean }; // shared: another user's, who decides about the rest
  task: Task | undefined; // undefined: a new one
  onClose: () => void;
  onSaved: () => Promise<void>;
}

const common = ["0 * * * *", "0 8 * * *", "0 8 * * 1-5", "0 8 * * 1", "0 8 1 * *"] as const;
const zones = () => Intl.supportedValuesOf("timeZone");
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function TaskDialog({ agent, task, onClose, onSaved }: Props) {
  const cron = useSignal(task?.cronSchedule ?? common[1]);
  const model = useSignal(task?.model ?? "");
  const zone = useSignal(task?.timezone ?? ownZone());
  const save = async (values: FormData) => {
    const basics = {
      name: textOf(values, "name").trim(),
      cronSchedule: cron.value.trim(),
      timezone: zone.value.trim(),
      prompt: textOf(values, "prompt").trim(),
      enabled: values.has("enabled"),
    };
    const body = {
      ...basics,
      catchUp: textOf(values, "catchUp") as Task["catchUp"],
      overlap: textOf(values, "overlap") as Task["overlap"],
      model: modelIn(values, "model"),
      reasoningEffort: textOf(values, "reasoningEffort"),
    };
    const path = { id: agent.id };
    if (agent.shared && task) await call("PATCH /api/shared/{id}/schedules/{task}", { path: { ...path, task: task.id }, body: basics });
    else if (agent.shared) await call("POST /api/shared/{id}/schedules", { path, body: basics });
    else if (task) await call("PUT /api/scheduled-tasks", { body: { taskId: task.id, ...body } });
    else await call("POST /api/scheduled-tasks", { body: { agentId: agent.id, ...body } });
    await onSaved();
    onClose();
  };
  return (
    <Dialog title={task ? t("task.edit", { name: task.name }) : t("task.new")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        <Field
          label={t("task.name")}
          name="name"
          required
          maxLength={100}
          autoFocus
          autocomplete="off"
          defaultValue={task?.name}
          dir="auto"
        />
        <TextArea label={t("task.prompt")} name="prompt" required rows={4} maxLength={32_000} defaultValue={task?.prompt} dir="auto" />
        <Select
          label={t("task.when")}
          value={common.includes(cron.value as (typeof common)[number]) ? cron.value : ""}
          onChange={(event) => {
            if (event.currentTarget.value) cron.value = event.currentTarget.value;
          }}
        >
          {common.map((expression) => (
            <option key={expression} value={expression}>
              {t(`task.cron.${expression}`)}
            </option>
          ))}
          <option value="">{t("task.other")}</option>
        </Select>
        <Field
          label={t("task.cron")}
          name="cronSchedule"
          required
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
          hint={t("task.cron_hint")}
          value={cron}
          onInput={(event) => (cron.value = event.currentTarget.value)}
        />
        <Field
          label={t("task.zone")}
          name="timezone"
          required
          maxLength={64}
          autocomplete="off"
          list="time-zones"
          value={zone}
          onInput={(event) => (zone.value = event.currentTarget.value)}
        />
        <datalist id="time-zones">
          {zones().map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Preview cron={cron.value} zone={zone.value} />
        {!agent.shared && (
          <details>
            <summary>{t("task.more")}</summary>
            <ModelSelect
              label={t("new_agent.model")}
              name="model"
              value={task?.model ?? ""}
              empty={t("task.model_own")}
              onChosen={(name) => (model.value = name)}
            />
            <EffortSelect name="reasoningEffort" model={model.value || agent.model} value={task?.reasoningEffort ?? ""} />
            <Select label={t("task.catch_up")} name="catchUp" defaultValue={task?.catchUp ?? "once"}>
              <option value="once">{t("task.catch_up.once")}</option>
              <option value="skip">{t("task.catch_up.skip")}</option>
            </Select>
            <Select label={t("task.overlap")} name="overlap" defaultValue={task?.overlap ?? "skip"}>
              <option value="skip">{t("task.overlap.skip")}</option>
              <option value="queue">{t("task.overlap.queue")}</option>
            </Select>
          </details>
        )}
        <Checkbox label={t("task.enabled")} name="enabled" defaultChecked={task?.enabled ?? true} />
      </Form>
    </Dialog>
  );
}

// Milliseconds after the last key before the box is asked.
const pause = 300;

// The next runs as the box computes them.
function Preview({ cron, zone }: { cron: string; zone: string }) {
  const runs = useSignal<string[]>([]);
  const error = useSignal("");
  useEffect(() => {
    let current = true;
    const look = async () => {
      try {
        const found = await call("GET /api/scheduled-tasks/preview", { query: { cronSchedule: cron, timezone: zone || undefined } });
        if (!current) return;
        runs.value = found.nextRuns;
        error.value = "";
      } catch (cause) {
        if (current) error.value = sentence(cause);
      }
    };
    const timer = setTimeout(() => void look(), pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [cron, zone]);
  return (
    <div class="preview" aria-live="polite">
      <strong>{t("task.next_runs")}</strong>
      {error.value ? (
        <p class="problem">{error.value}</p>
      ) : (
        <ol>
          {runs.value.map((at) => (
            <li key={at}>
              <Time at={at} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
