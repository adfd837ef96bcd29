// The models that the box has, what they cost, and what conversations with them have cost.
import { signal } from "@preact/signals";
import { call } from "./api/client";
import type { ChatMessage, RouterModel } from "./api/types";

interface Known {
  models: RouterModel[];
  transcription: string; // empty: the box cannot write down what is said
}

export const known = signal<Known | undefined>(undefined);
let loadedAt = 0;
const fresh = 60_000; // milliseconds

// Loaded again when what is known is old. Without an answer, nothing is known: no one waits for it.
export async function loadModels() {
  if (Date.now() - loadedAt < fresh) return;
  loadedAt = Date.now();
  try {
    const { models, transcription } = await call("GET /api/models");
    known.value = { models, transcription: transcription ?? "" };
  } catch {
    loadedAt = 0;
  }
}

export function forgetModels() {
  known.value = undefined;
  loadedAt = 0;
}

export const usable = ({ available, inPlan }: RouterModel) => available && inPlan;

// A model by its id, or by the name that its provider has for it, with or without a date at its end.
export function findModel(name: string): RouterModel | undefined {
  const models = known.value?.models ?? [];
  const bare = name.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return models.find(({ id }) => id === name) ?? models.find(({ id }) => id.endsWith(`/${bare}`) || id === bare);
}

// US dollars; undefined: the price is not known.
export function costOf(model: string, inputTokens: number, outputTokens: number): number | undefined {
  const { inputPrice, outputPrice } = findModel(model) ?? {};
  if (inputPrice == null || outputPrice == null) return undefined;
  return (inputTokens * Number(inputPrice) + outputTokens * Number(outputPrice)) / 1e6;
}

export interface Spending {
  soFar?: number | undefined; // undefined: no answer has a known price
  next?: number | undefined;
}

const bytesInToken = 4;
const instructions = 2_000; // tokens of instructions and tools, before the agent has said how many it sends
const usualAnswer = 500; // tokens

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

// What the answers have cost by their tokens at list price, and what the next one will about cost: the last answers tell
// how much the agent sends and says. Providers' caches make it cheaper.
export function spendingOf(messages: ChatMessage[], draft: string, chosenModel: string): Spending {
  const answers = messages.filter(({ role, inputTokens }) => role === "assistant" && inputTokens != null);
  const costs = answers
    .map(({ model, inputTokens, outputTokens }) => costOf(model ?? "", inputTokens ?? 0, outputTokens ?? 0))
    .filter((cost) => cost !== undefined);
  const latest = answers.slice(-3);
  const drafted = draft.length / bytesInToken;
  const said = messages.reduce((sum, { content }) => sum + content.length / bytesInToken, instructions);
  const model = chosenModel || (answers.at(-1)?.model ?? "");
  return {
    soFar: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined,
    next: costOf(
      model,
      drafted + (latest.length > 0 ? mean(latest.map((one) => one.inputTokens ?? 0)) : said),
      latest.length > 0 ? mean(latest.map((one) => one.outputTokens ?? 0)) : usualAnswer,
    ),
  };
}
