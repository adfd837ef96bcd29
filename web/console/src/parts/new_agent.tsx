import { useSignal } from "@preact/signals";
import * as account from "../account";
import { provision } from "../agents";
import { call } from "../api/client";
import type { NewAgent, RouterModel, Tier } from "../api/types";
import { compact } from "../app/format";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Dialog } from "../components/dialog";
import { Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { useLoad } from "../components/loaded";

// Of the choice that asks for a name.
const other = "another";

function grouped(models: RouterModel[]): [string, RouterModel[]][] {
  const groups = new Map<string, RouterModel[]>();
  for (const model of models) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return [...groups];
}

export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const tiers = account.tiers.value;
  const chosen = useSignal("");
  const models = useLoad(async () => (await call("GET /api/models")).models.filter(({ available, inPlan }) => available && inPlan));
  const create = async (values: FormData) => {
    const wanted: NewAgent = { name: textOf(values, "name").trim() };
    const model = textOf(values, chosen.value === other ? "model_name" : "model").trim();
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
      <Form submit={t("new_agent.submit")} onCancel={onClose} onSubmit={create}>
        <Field label={t("new_agent.name")} name="name" required maxLength={100} autoFocus autocomplete="off" dir="auto" />
        <Select
          label={t("new_agent.model")}
          name="model"
          value={chosen.value}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          <option value="">{t("new_agent.default_model")}</option>
          {grouped(models.data.value ?? []).map(([provider, members]) => (
            <optgroup key={provider} label={provider}>
              {members.map(({ id, name, contextWindow }) => (
                <option key={id} value={id}>
                  {contextWindow > 0 ? t("new_agent.model_of", { name, tokens: compact(contextWindow) }) : name}
                </option>
              ))}
            </optgroup>
          ))}
          <option value={other}>{t("new_agent.own_model")}</option>
        </Select>
        {chosen.value === other && (
          <Field
            label={t("new_agent.model_name")}
            name="model_name"
            required
            maxLength={100}
            placeholder={t("new_agent.model_example")}
            autocomplete="off"
          />
        )}
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
