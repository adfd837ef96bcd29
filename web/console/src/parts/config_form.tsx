import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { Agent } from "../api/types";
import { named, t } from "../app/i18n";
import { Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Notice } from "../components/notice";
import { known } from "../models";
import { ModelCost } from "./model_cost";
import { modelIn, ModelSelect } from "./model_select";

type Config = Record<string, unknown>;

const providers = ["auto", "openrouter", "anthropic", "openai", "google", "local", "builtin"];
const texts = ["aiProvider", "systemPrompt"] as const;
const numbers = ["temperature", "topP", "maxTokens"] as const;

const shown = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

// The fields of an agent's config that the box knows, and the whole of it as JSON for the others. Secrets come as
// {"sealed": true} and stay as they are when they are sent back like that.
export function ConfigForm({ agent, config, onSaved }: { agent: Agent; config: Config; onSaved: () => Promise<void> }) {
  const saved = useSignal(false);
  const problem = useSignal("");
  const model = useSignal(shown(config.model));
  const provider = useSignal(shown(config.aiProvider) || "auto");
  // Also the box's further servers, whose models are not in the catalogue and so have no known context window, and a
  // server that the box no longer has.
  const served = (known.value?.models ?? []).filter(({ contextWindow }) => contextWindow === 0).map(({ provider }) => provider);
  const choices = [...new Set([...providers, ...served, shown(config.aiProvider) || "auto"])];
  const save = async (values: FormData) => {
    saved.value = false;
    problem.value = "";
    let changed: Config;
    try {
      changed = JSON.parse(textOf(values, "rest") || "{}") as Config;
    } catch {
      problem.value = t("config.not_json");
      return;
    }
    changed.model = modelIn(values, "config.model") || "auto";
    for (const name of texts) {
      const text = textOf(values, `config.${name}`).trim();
      if (text) changed[name] = text;
    }
    for (const name of numbers) {
      const text = textOf(values, `config.${name}`).trim();
      if (text) changed[name] = Number(text);
    }
    await call("PUT /api/agents/{id}/config", { path: { id: agent.id }, body: { config: changed } });
    await onSaved();
    saved.value = true;
  };
  const fields = new Set<string>(["model", ...texts, ...numbers]);
  const rest = Object.fromEntries(Object.entries(config).filter(([name]) => !fields.has(name)));
  return (
    <Form submit={t("action.save")} onSubmit={save}>
      <ModelSelect
        label={t("config.model")}
        name="config.model"
        value={shown(config.model) === "auto" ? "" : shown(config.model)}
        empty={t("new_agent.default_model")}
        hint={t("config.model_hint")}
        onChosen={(chosen) => (model.value = chosen)}
      />
      <Select
        label={t("config.provider")}
        name="config.aiProvider"
        key={choices.join()}
        defaultValue={provider.value}
        onChange={(event) => (provider.value = event.currentTarget.value)}
      >
        {choices.map((name) => (
          <option key={name} value={name}>
            {named("provider", name)}
          </option>
        ))}
      </Select>
      <ModelCost model={model.value || "auto"} provider={provider.value} />
      <TextArea
        label={t("config.instructions")}
        name="config.systemPrompt"
        rows={5}
        maxLength={16_000}
        dir="auto"
        hint={t("config.instructions_hint")}
        defaultValue={shown(config.systemPrompt)}
      />
      <div class="columns">
        <Field
          label={t("config.temperature")}
          name="config.temperature"
          type="number"
          min={0}
          max={2}
          step={0.1}
          defaultValue={shown(config.temperature)}
        />
        <Field label={t("config.top_p")} name="config.topP" type="number" min={0} max={1} step={0.05} defaultValue={shown(config.topP)} />
        <Field
          label={t("config.max_tokens")}
          name="config.maxTokens"
          type="number"
          min={1}
          step={1}
          defaultValue={shown(config.maxTokens)}
        />
      </div>
      <details>
        <summary>{t("config.rest")}</summary>
        <TextArea
          label={t("config.json")}
          name="rest"
          rows={8}
          spellcheck={false}
          dir="ltr"
          hint={t("config.json_hint")}
          defaultValue={JSON.stringify(rest, null, 2)}
        />
      </details>
      {problem.value && <Notice kind="error">{problem.value}</Notice>}
      {saved.value && <Notice kind="hint">{t("config.saved")}</Notice>}
    </Form>
  );
}
