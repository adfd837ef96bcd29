// Several models side by side: their answers, what they cost and how long they took.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { call } from "../api/client";
import type { RouterModel } from "../api/types";
import { t } from "../app/i18n";
import { parameter, setParameter } from "../app/router";
import { Button } from "../components/button";
import { EmptyState } from "../components/empty_state";
import { Field, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { ModelChoice } from "../parts/model_choice";
import { TrialCard } from "../parts/trial_card";
import { UsageFrame } from "../parts/usage_frame";
import { ask, best, mostModels, type Try } from "../playground";

export default function PlaygroundPage() {
  const models = useLoad(async () => (await call("GET /api/models")).models.filter(usable));
  return (
    <UsageFrame>
      <p class="quiet">{t("play.about")}</p>
      <Loaded of={models}>{(list) => <Playground models={list} />}</Loaded>
    </UsageFrame>
  );
}

const usable = ({ available, inPlan }: RouterModel) => available && inPlan;
// Leaves the choice to the box.
const automatic = "auto";

function Playground({ models }: { models: RouterModel[] }) {
  const tries = useSignal<Try[]>([]);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const known = [automatic, ...models.map(({ id }) => id)];
  const named = parameter("models")
    .split(",")
    .filter((id) => known.includes(id));
  const chosen = named.length ? named.slice(0, mostModels) : [automatic];
  const busy = tries.value.some((one) => one.busy.value);
  const run = async (values: FormData) => {
    stop.current?.abort();
    stop.current = new AbortController();
    const system = textOf(values, "system").trim();
    const temperature = textOf(values, "temperature");
    const maxTokens = textOf(values, "maxTokens");
    tries.value = ask(
      chosen,
      {
        message: textOf(values, "message"),
        ...(system && { system }),
        ...(temperature && { temperature: Number(temperature) }),
        ...(maxTokens && { maxTokens: Number(maxTokens) }),
      },
      stop.current.signal,
    );
  };
  const cheapest = best(tries.value, ({ cost }) => (typeof cost === "string" ? Number(cost) : undefined));
  const fastest = best(tries.value, ({ latencyMs }) => latencyMs);
  return (
    <>
      <section class="card" aria-labelledby="play-title">
        <h2 id="play-title">{t("page.playground")}</h2>
        <ModelChoice
          models={[{ id: automatic, name: t("new_agent.default_model") }, ...models]}
          chosen={chosen}
          most={mostModels}
          onChange={(ids) => setParameter("models", ids.join(",") === automatic ? "" : ids.join(","))}
        />
        <Form submit={t("play.ask")} onSubmit={run}>
          <TextArea label={t("play.message")} name="message" required rows={4} maxLength={32_000} dir="auto" />
          <details>
            <summary>{t("play.more")}</summary>
            <TextArea label={t("play.system")} name="system" rows={3} maxLength={16_000} dir="auto" hint={t("play.system_hint")} />
            <div class="columns">
              <Field label={t("config.temperature")} name="temperature" type="number" min={0} max={2} step={0.1} />
              <Field label={t("config.max_tokens")} name="maxTokens" type="number" min={1} max={32_768} step={1} />
            </div>
          </details>
        </Form>
        {busy && (
          <div class="actions">
            <Button onClick={() => stop.current?.abort()}>{t("chat.stop")}</Button>
          </div>
        )}
      </section>
      {tries.value.length === 0 ? (
        <EmptyState title={t("play.empty")} text={t("play.empty_text")} />
      ) : (
        <ul class="cards trials" aria-label={t("play.answers")}>
          {tries.value.map((one) => (
            <TrialCard
              key={one.model}
              one={one}
              name={models.find(({ id }) => id === one.model)?.name ?? t("new_agent.default_model")}
              isCheapest={cheapest.has(one)}
              isFastest={fastest.has(one)}
            />
          ))}
        </ul>
      )}
    </>
  );
}
