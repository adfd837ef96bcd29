import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";

interface Props {
  models: { id: string; name: string; provider?: string }[];
  chosen: string[];
  most: number;
  onChange: (ids: string[]) => void;
}

// Some of the models, at least one. Long lists can be searched; what is chosen stays in sight.
export function ModelChoice({ models, chosen, most, onChange }: Props) {
  const search = useSignal("");
  const words = search.value.toLocaleLowerCase();
  const shown = models.filter(
    ({ id, name, provider = "" }) => chosen.includes(id) || `${id} ${name} ${provider}`.toLocaleLowerCase().includes(words),
  );
  const toggle = (id: string, on: boolean) => {
    const ids = on ? [...chosen, id] : chosen.filter((other) => other !== id);
    if (ids.length > 0) onChange(ids);
  };
  return (
    <fieldset class="model-choice">
      <legend>{t("play.models", { most })}</legend>
      {models.length > 8 && (
        <input
          type="search"
          aria-label={t("play.find_model")}
          placeholder={t("play.find_model")}
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      )}
      <div class="choices">
        {shown.map(({ id, name }) => {
          const on = chosen.includes(id);
          return (
            <label key={id} class="choice">
              <input
                type="checkbox"
                checked={on}
                disabled={on ? chosen.length === 1 : chosen.length >= most}
                onChange={(event) => toggle(id, event.currentTarget.checked)}
              />
              <bdi>{name}</bdi>
            </label>
          );
        })}
      </div>
      {shown.length === 0 && <p class="quiet">{t("list.nothing")}</p>}
    </fieldset>
  );
}
