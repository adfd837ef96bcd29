import { useSignal } from "@preact/signals";
import { agents } from "../agents";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { EmptyState } from "../components/empty_state";
import { Checkbox, Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";

interface Props {
  onClose: () => void;
  onStarted: (swarm: { id: string }) => void;
}

const fewest = 2;

export function NewSwarmDialog({ onClose, onStarted }: Props) {
  const members = useSignal<string[]>([]);
  const known = agents.value ?? [];
  const start = async (values: FormData) => {
    const [name, orchestrator, cost, minutes] = ["name", "orchestrator", "maxCostUsd", "maxMinutes"].map((field) =>
      textOf(values, field).trim(),
    );
    const swarm = await call("POST /api/swarms", {
      body: {
        goal: textOf(values, "goal").trim(),
        agents: members.value,
        ...(name && { name }),
        ...(orchestrator && { orchestrator }),
        ...(cost && { maxCostUsd: cost }),
        ...(minutes && { maxMinutes: Number(minutes) }),
      },
    });
    onClose();
    onStarted(swarm);
  };
  if (known.length < fewest)
    return (
      <Dialog title={t("swarm.new")} onClose={onClose} dismissible>
        <EmptyState title={t("swarm.too_few")} text={t("swarm.too_few_text")}>
          <Link to="/dashboard" class="button">
            {t("agent.back")}
          </Link>
        </EmptyState>
      </Dialog>
    );
  return (
    <Dialog title={t("swarm.new")} onClose={onClose}>
      <Form submit={t("swarm.start")} onCancel={onClose} onSubmit={start}>
        <TextArea label={t("swarm.goal")} name="goal" required rows={3} maxLength={8_000} autoFocus dir="auto" />
        <fieldset>
          <legend>{t("swarm.members")}</legend>
          {known.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              dir="auto"
              checked={members.value.includes(id)}
              onChange={({ currentTarget }) => {
                members.value = currentTarget.checked ? [...members.value, id] : members.value.filter((one) => one !== id);
              }}
            />
          ))}
        </fieldset>
        <Select label={t("swarm.orchestrator")} name="orchestrator" hint={t("swarm.orchestrator_hint")}>
          <option value="">{t("swarm.box_chooses")}</option>
          {known
            .filter(({ id }) => members.value.includes(id))
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </Select>
        <details>
          <summary>{t("swarm.more")}</summary>
          <Field label={t("usage.name")} name="name" maxLength={100} autocomplete="off" dir="auto" />
          <Field label={t("swarm.max_cost")} name="maxCostUsd" inputMode="decimal" maxLength={20} autocomplete="off" placeholder="1.00" />
          <Field label={t("swarm.max_minutes")} name="maxMinutes" type="number" min={1} max={1440} step={1} placeholder="30" />
        </details>
      </Form>
    </Dialog>
  );
}
