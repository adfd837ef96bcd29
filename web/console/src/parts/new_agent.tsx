import { useSignal } from "@preact/signals";
import * as account from "../account";
import { provision } from "../agents";
import { sentence } from "../api";
import { go } from "../router";
import type { NewAgent, Tier } from "../wire";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Notice } from "./notice";

export function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const tiers = account.tiers.value;
  const name = useSignal("");
  const ownModel = useSignal(false);
  const model = useSignal("");
  const tier = useSignal<Tier | "">(tiers.at(-1)?.tier ?? "");
  const busy = useSignal(false);
  const error = useSignal("");

  const submit = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    error.value = "";
    const wanted: NewAgent = { name: name.value.trim() };
    if (ownModel.value && model.value.trim()) wanted.model = model.value.trim();
    if (tier.value) wanted.tier = tier.value;
    try {
      const agent = await provision(wanted);
      onClose();
      go(`/dashboard?agent=${encodeURIComponent(agent.id)}`);
    } catch (cause) {
      error.value = sentence(cause);
    } finally {
      busy.value = false;
    }
  };

  return (
    <Dialog title="New agent" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field
          label="Name"
          required
          maxLength={100}
          autoFocus
          autocomplete="off"
          value={name}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <fieldset>
          <legend>Model</legend>
          <label class="choice">
            <input type="radio" name="model" checked={!ownModel.value} onChange={() => (ownModel.value = false)} />
            Default model
          </label>
          <label class="choice">
            <input type="radio" name="model" checked={ownModel.value} onChange={() => (ownModel.value = true)} />
            A model by name
          </label>
          {ownModel.value && (
            <Field
              label="Model name"
              required
              maxLength={100}
              placeholder="vendor/model"
              autocomplete="off"
              value={model}
              onInput={(event) => (model.value = event.currentTarget.value)}
            />
          )}
        </fieldset>
        {tiers.length > 0 && (
          <div class="field">
            <label for="tier">Tier</label>
            <select id="tier" value={tier.value} onChange={(event) => (tier.value = event.currentTarget.value as Tier)}>
              {tiers.map((choice) => (
                <option key={choice.tier} value={choice.tier}>
                  {choice.title}
                </option>
              ))}
            </select>
          </div>
        )}
        {error.value && <Notice kind="error">{error.value}</Notice>}
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy.value}>
            {busy.value ? "Creating…" : "Create the agent"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
