import * as account from "../account";
import { lookSoon } from "../agents";
import { call } from "../api/client";
import type { Template } from "../api/types";
import { t } from "../app/i18n";
import { agentPath } from "../app/pages";
import { go } from "../app/router";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";

// The form for creating an agent from a template: its name, and what the template asks.
export function UseTemplateDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const tiers = account.tiers.value;
  const create = async (values: FormData) => {
    const tier = textOf(values, "tier");
    const answers = template.questions.map(({ name }) => [name, textOf(values, `answers.${name}`).trim()]);
    const made = await call("POST /api/templates/{template}/agents", {
      path: { template: template.id },
      body: { name: textOf(values, "name").trim(), answers: Object.fromEntries(answers), ...(tier && { tier }) },
    });
    lookSoon();
    onClose();
    go(agentPath(made.agentId));
  };
  return (
    <Dialog title={t("templates.using", { name: template.name })} onClose={onClose}>
      <Form submit={t("new_agent.submit")} onCancel={onClose} onSubmit={create}>
        <Field
          label={t("new_agent.name")}
          name="name"
          required
          maxLength={100}
          autoFocus
          autocomplete="off"
          dir="auto"
          defaultValue={template.name}
        />
        {template.questions.map(({ name, label, required }) => (
          <Field
            key={name}
            label={label}
            name={`answers.${name}`}
            required={required}
            maxLength={4000}
            autocomplete="off"
            dir="auto"
            hint={required ? undefined : t("templates.optional")}
          />
        ))}
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
