import { useSignal } from "@preact/signals";
import { call } from "../../api/client";
import type { SharedSettings } from "../../api/types";
import { t } from "../../app/i18n";
import type { PageProps } from "../../app/pages";
import { Field, TextArea } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Loaded, useLoad } from "../../components/loaded";
import { Notice } from "../../components/notice";
import { EffortSelect, modelIn, ModelSelect } from "../../parts/model_select";
import { SharedFrame } from "../../parts/shared_frame";

// What a builder may set of a shared agent.
export default function SharedSettingsPage({ id }: PageProps) {
  return (
    <SharedFrame id={id} tab="settings">
      {(_, reload) => <Settings id={id} onSaved={reload} />}
    </SharedFrame>
  );
}

const numbers = ["temperature", "topP", "maxTokens", "maxRounds"] as const;

function Settings({ id, onSaved }: { id: string; onSaved: () => Promise<void> }) {
  const path = { id };
  const settings = useLoad(() => call("GET /api/shared/{id}/settings", { path }), [id]);
  const saved = useSignal(false);
  const save = async (values: FormData) => {
    saved.value = false;
    const given = numbers.map((name) => [name, textOf(values, name).trim()] as const).filter(([, text]) => text !== "");
    await call("PATCH /api/shared/{id}/settings", {
      path,
      body: {
        name: textOf(values, "name").trim(),
        model: modelIn(values, "model") || "auto",
        systemPrompt: textOf(values, "systemPrompt").trim(),
        reasoningEffort: textOf(values, "reasoningEffort"),
        ...Object.fromEntries(given.map(([name, text]) => [name, Number(text)])),
      },
    });
    await Promise.all([settings.reload(), onSaved()]);
    saved.value = true;
  };
  return (
    <div class="panel-body panel-sections">
      <section aria-labelledby="shared-settings">
        <h2 id="shared-settings">{t("page.settings")}</h2>
        <p class="quiet">{t("shared.settings_about")}</p>
        <Loaded of={settings}>{(found) => <Fields found={found} save={save} />}</Loaded>
        {saved.value && <Notice kind="hint">{t("config.saved")}</Notice>}
      </section>
    </div>
  );
}

const shown = (value: number | null | undefined) => value?.toString() ?? "";

function Fields({ found, save }: { found: SharedSettings; save: (values: FormData) => Promise<void> }) {
  const named = found.model === "auto" ? "" : found.model;
  const model = useSignal(named);
  return (
    <Form submit={t("action.save")} onSubmit={save}>
      <Field label={t("new_agent.name")} name="name" required maxLength={100} autocomplete="off" dir="auto" defaultValue={found.name} />
      <ModelSelect
        label={t("config.model")}
        name="model"
        value={named}
        empty={t("new_agent.default_model")}
        onChosen={(chosen) => (model.value = chosen)}
      />
      <EffortSelect name="reasoningEffort" model={model.value} value={found.reasoningEffort ?? ""} />
      <TextArea
        label={t("config.instructions")}
        name="systemPrompt"
        rows={5}
        maxLength={16_000}
        dir="auto"
        defaultValue={found.systemPrompt ?? ""}
      />
      <div class="columns">
        <Field
          label={t("config.temperature")}
          name="temperature"
          type="number"
          min={0}
          max={2}
          step="any"
          defaultValue={shown(found.temperature)}
        />
        <Field label={t("config.top_p")} name="topP" type="number" min={0} max={1} step="any" defaultValue={shown(found.topP)} />
        <Field label={t("config.max_tokens")} name="maxTokens" type="number" min={1} step={1} defaultValue={shown(found.maxTokens)} />
        <Field
          label={t("shared.max_rounds")}
          name="maxRounds"
          type="number"
          min={1}
          max={200}
          step={1}
          defaultValue={shown(found.maxRounds)}
        />
      </div>
    </Form>
  );
}
