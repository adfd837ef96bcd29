// One message to several models at once.
import { signal, type Signal } from "@preact/signals";
import { ApiError, patience, send, sentence } from "./api/client";
import { events } from "./api/events";
import { placeOf, type QueuePlace } from "./api/queue";
import type { Trial, TrialAnswer } from "./api/types";
import { t } from "./app/i18n";

// What has come of one model's answer.
export interface Try {
  model: string;
  text: Signal<string>;
  answer: Signal<TrialAnswer | undefined>; // once it is complete
  error: Signal<string>;
  queued: Signal<QueuePlace | undefined>; // while it waits in the queue before the model
  busy: Signal<boolean>;
}

// More models at once would wait for each other.
export const mostModels = 6;

export function ask(models: string[], trial: Omit<Trial, "model">, stop: AbortSignal): Try[] {
  return models.map((model) => {
    const one: Try = {
      model,
      text: signal(""),
      answer: signal(undefined),
      error: signal(""),
      queued: signal(undefined),
      busy: signal(true),
    };
    void run(one, { ...trial, model }, stop);
    return one;
  });
}

async function run(one: Try, body: Trial, stop: AbortSignal) {
  try {
    const response = await send("POST /api/playground", { body: { ...body, stream: true }, timeout: 15 * patience, signal: stop });
    if (response.headers.get("Content-Type")?.startsWith("application/json")) {
      finish(one, (await response.json()) as TrialAnswer); // a model that has said nothing
      return;
    }
    for await (const { event, data } of events(response.body!)) {
      const content = JSON.parse(data) as { content?: string; error?: string };
      if (event === "queued") one.queued.value = placeOf(data);
      if (event === "delta") one.text.value += content.content ?? "";
      if (event === "error") throw new ApiError(content.error ?? t("error.internal"), 500);
      if (event === "done") finish(one, JSON.parse(data) as TrialAnswer);
    }
    if (!one.answer.value) throw new ApiError(t("error.unreachable"), 0);
  } catch (cause) {
    one.error.value = stop.aborted ? t("play.stopped") : sentence(cause);
  } finally {
    one.busy.value = false;
  }
}

function finish(one: Try, answer: TrialAnswer) {
  one.answer.value = answer;
  one.text.value = answer.message;
}

// The answers with the lowest value; none if there is nothing to compare.
export function best(tries: Try[], value: (answer: TrialAnswer) => number | undefined): Set<Try> {
  const values = new Map<Try, number>();
  for (const one of tries) {
    const found = one.answer.value && value(one.answer.value);
    if (found !== undefined) values.set(one, found);
  }
  const lowest = Math.min(...values.values());
  const winners = [...values].filter(([, found]) => found === lowest).map(([one]) => one);
  return new Set(values.size > 1 && winners.length < values.size ? winners : []);
}
