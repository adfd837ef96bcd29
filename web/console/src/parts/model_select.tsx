// The choice of a model from those that the box has, with what they cost and can do, or of another by its name.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { RouterModel } from "../api/types";
import { compact, money } from "../app/format";
import { t } from "../app/i18n";
import { Field, Select } from "../components/field";
import { textOf } from "../components/form";
import { findModel, known, loadModels, usable } from "../models";

const other = "another"; // of the choice that asks for a name

interface Props {
  label: string;
  name: string;
  value?: string; // the model now; empty: none is named
  empty: string; // the choice of no model
  hint?: ComponentChildren;
  onChosen?: (model: string) => void;
}

export function ModelSelect({ label, name, value = "", empty, hint, onChosen }: Props) {
  const chosen = useSignal<string | undefined>(undefined);
  useEffect(() => void loadModels(), []);
  const models = (known.value?.models ?? []).filter(usable);
  const isListed = value === "" || models.some(({ id }) => id === value);
  // Until the models are there, the one that is named stays chosen.
  const now = chosen.value ?? (isListed || !known.value ? value : other);
  return (
    <>
      <Select
        label={label}
        name={name}
        value={now}
        hint={hint}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
          onChosen?.(event.currentTarget.value === other ? "" : event.currentTarget.value);
        }}
      >
        <option value="">{empty}</option>
        {!known.value && value && <option value={value}>{value}</option>}
        {grouped(models).map(([provider, members]) => (
          <optgroup key={provider} label={provider}>
            {members.map((model) => (
              <option key={model.id} value={model.id}>
                {described(model)}
              </option>
            ))}
          </optgroup>
        ))}
        <option value={other}>{t("new_agent.own_model")}</option>
      </Select>
      {now === other && (
        <Field
          label={t("new_agent.model_name")}
          name={`${name}_name`}
          required
          maxLength={100}
          placeholder={t("new_agent.model_example")}
          autocomplete="off"
          defaultValue={isListed ? "" : value}
          onChange={(event) => onChosen?.(event.currentTarget.value.trim())}
        />
      )}
    </>
  );
}

// What was chosen; empty: no model.
export function modelIn(values: FormData, name: string): string {
  const chosen = textOf(values, name);
  return (chosen === other ? textOf(values, `${name}_name`) : chosen).trim();
}

function grouped(models: RouterModel[]): [string, RouterModel[]][] {
  const groups = new Map<string, RouterModel[]>();
  for (const model of models) groups.set(model.provider, [...(groups.get(model.provider) ?? []), model]);
  return [...groups];
}

// Name, context, price of a million tokens in and out, and what else it can do.
function described({ name, contextWindow, costKnown, inputPrice, outputPrice, vision, efforts }: RouterModel): string {
  const parts = [name];
  if (contextWindow > 0) parts.push(t("model.context", { tokens: compact(contextWindow) }));
  if (inputPrice != null && outputPrice != null)
    parts.push(
      Number(inputPrice) + Number(outputPrice) === 0
        ? t("model.free")
        : t("model.price", { input: money(inputPrice), output: money(outputPrice) }),
    );
  if (!costKnown) parts.push(t("model.cost_unknown"));
  if (vision) parts.push(t("model.vision"));
  if (efforts.length > 0) parts.push(t("model.reasons"));
  return parts.join(" · ");
}

const allEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

// The levels of reasoning of a model, or all if it is not known.
export function EffortSelect({ name, model, value = "" }: { name: string; model: string; value?: string }) {
  const levels = findModel(model)?.efforts ?? allEfforts;
  const shown = value && !levels.includes(value) ? [...levels, value] : levels;
  if (shown.length === 0) return null;
  return (
    <Select label={t("model.effort")} name={name} defaultValue={value} hint={t("model.effort_hint")}>
      <option value="">{t("model.effort_own")}</option>
      {shown.map((level) => (
        <option key={level} value={level}>
          {level}
        </option>
      ))}
    </Select>
  );
}
