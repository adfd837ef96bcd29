import { useSignal } from "@preact/signals";
import * as account from "../account";
import { provision } from "../agents";
import type { NewAgent, Tier } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Dialog } from "../components/dialog";
import { Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Link } from "../components/link";
import { ModelCost } from "./model_cost";
import { modelIn, ModelSelect } from "./model_select";

export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const tiers = account.tiers.value;
  const chosen = useSignal("");
  const create = async (values: FormData) => {
    const wanted: NewAgent = { name: textOf(values, "name").trim() };
    const model = modelIn(values, "model");
    const instructions = textOf(values, "instructions").trim();
    const tier = textOf(values, "tier") as Tier | "";
    if (model) wanted.model = model;
    if (instructions) wanted.config = { systemPrompt: instructions };
    if (tier) wanted.tier = tier;
    const agent = await provision(wanted);
    onClose();
    go(agentPath(agent.id));
  };
  return (
    <Dialog title={t("home.new_agent")} onClose={onClose}>
      <p class="quiet">
        <Link to="/templates">{t("new_agent.from_template")}</Link>
      </p>
      <Form submit={t("new_agent.submit")} onCancel={onClose} onSubmit={create}>
        <Field label={t("new_agent.name")} name="name" required maxLength={100} autoFocus autocomplete="off" dir="auto" />
        <ModelSelect
          label={t("new_agent.model")}
          name="model"
          empty={t("new_agent.default_model")}
          onChosen={(model) => (chosen.value = model)}
        />
        <ModelCost model={chosen.value} />
        <TextArea
          label={t("new_agent.instructions")}
          name="instructions"
          rows={3}
          maxLength={16_000}
          dir="auto"
          hint={t("new_agent.instructions_hint")}
        />
        {tiers.length > 0 && (
          <Select label={t("new_agent.tier")} name="tier" defaultValue={tiers.at(-1)!.tier}>
            {tiers.map(({ tier, plan }) => (
              <option key={tier} value={tier}>
                {t(`new_agent.${tier}`, { plan })}
              </option>
            ))}
          </Select>
        )}
      </Form>
    </Dialog>
  );
}
