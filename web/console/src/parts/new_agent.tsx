import { useSignal } from "@preact/signals";
import * as account from "../account";
import { provision } from "../agents";
import type { NewAgent, Tier } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";

export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const tiers = account.tiers.value;
  const ownModel = useSignal(false);
  const create = async (values: FormData) => {
    const wanted: NewAgent = { name: textOf(values, "name").trim() };
    const model = textOf(values, "model").trim();
    const tier = textOf(values, "tier") as Tier | "";
    if (ownModel.value && model) wanted.model = model;
    if (tier) wanted.tier = tier;
    const agent = await provision(wanted);
    onClose();
    go(agentPath(agent.id));
  };
  return (
    <Dialog title={t("home.new_agent")} onClose={onClose}>
      <Form submit={t("new_agent.submit")} onCancel={onClose} onSubmit={create}>
        <Field label={t("new_agent.name")} name="name" required maxLength={100} autoFocus autocomplete="off" dir="auto" />
        <fieldset>
          <legend>{t("new_agent.model")}</legend>
          <label class="choice">
            <input type="radio" name="kind" checked={!ownModel.value} onChange={() => (ownModel.value = false)} />
            {t("new_agent.default_model")}
          </label>
          <label class="choice">
            <input type="radio" name="kind" checked={ownModel.value} onChange={() => (ownModel.value = true)} />
            {t("new_agent.own_model")}
          </label>
          {ownModel.value && (
            <Field
              label={t("new_agent.model_name")}
              name="model"
              required
              maxLength={100}
              placeholder={t("new_agent.model_example")}
              autocomplete="off"
            />
          )}
        </fieldset>
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
