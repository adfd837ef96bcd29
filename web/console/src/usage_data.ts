// What was used in a range of days, from the single calls: one set of numbers for everything that a page shows.
import { call } from "./api/client";
import type { ModelCall } from "./api/types";

export const ranges = ["7", "30", "month"] as const;
export type Range = (typeof ranges)[number];

const dayLength = 86_400_000;
const pageSize = 200;
// Calls that are looked through.
export const mostCalls = 3_000;

const dayOf = (at: number | string) => new Date(at).toISOString().slice(0, 10);

// The days of a range in UTC, oldest first, until today.
export function daysOf(range: Range): string[] {
  const today = dayOf(Date.now());
  const count = range === "month" ? Number(today.slice(8)) : Number(range);
  return Array.from({ length: count }, (_, index) => dayOf(Date.now() - (count - 1 - index) * dayLength));
}

export interface Calls {
  calls: ModelCall[]; // newest first
  complete: boolean; // those of all days are here
}

// Those of the longest range, newest first.
export async function loadCalls(matches: (one: ModelCall) => boolean = () => true): Promise<Calls> {
  const since = [daysOf("30")[0]!, daysOf("month")[0]!].sort()[0]!;
  const calls: ModelCall[] = [];
  let before: string | null | undefined;
  for (let seen = 0; seen < mostCalls; seen += pageSize) {
    const page = await call("GET /api/dashboard/calls", { query: { before, limit: pageSize } });
    calls.push(...page.calls.filter((one) => one.at.slice(0, 10) >= since && matches(one)));
    before = page.next;
    if (!before || (page.calls.at(-1)?.at ?? "") < since) return { calls, complete: true };
  }
  return { calls, complete: false };
}

export const within = (calls: ModelCall[], days: string[]) => calls.filter(({ at }) => at.slice(0, 10) >= days[0]!);

export interface Sum {
  id: string;
  calls: number;
  failed: number;
  inputTokens: number;
  outputTokens: number;
  cost: number; // US dollars, without the calls of unknown cost
  unknown: number; // calls whose cost is unknown
}

const none = (id: string): Sum => ({ id, calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, cost: 0, unknown: 0 });

// The catalogue has no price for the model of the call, which was made.
export const isCostUnknown = ({ cost, ownKey, outcome, inputTokens, outputTokens }: ModelCall) =>
  !ownKey && typeof cost !== "string" && (outcome === "ok" || inputTokens + outputTokens > 0);

function add(sum: Sum, one: ModelCall) {
  sum.calls += 1;
  if (one.outcome !== "ok") sum.failed += 1;
  sum.inputTokens += one.inputTokens;
  sum.outputTokens += one.outputTokens;
  // Calls with the user's own provider keys are paid there.
  if (!one.ownKey) sum.cost += Number(one.cost ?? 0);
  if (isCostUnknown(one)) sum.unknown += 1;
}

export function total(calls: ModelCall[]): Sum {
  const sum = none("");
  for (const one of calls) add(sum, one);
  return sum;
}

// Most expensive first.
export function sumsBy(calls: ModelCall[], key: (one: ModelCall) => string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const one of calls) {
    const id = key(one);
    let sum = sums.get(id);
    if (!sum) sums.set(id, (sum = none(id)));
    add(sum, one);
  }
  return [...sums.values()].sort((a, b) => b.cost - a.cost || b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens);
}

// The calls of each agent on the days that these calls cover wholly, oldest first. Older calls than these may exist.
export function callsByDay(calls: ModelCall[], hasMore: boolean): Map<string, number[]> {
  const oldest = hasMore ? (calls.at(-1)?.at.slice(0, 10) ?? "") : "";
  const days = daysOf("30").filter((date) => date > oldest);
  const counts = new Map<string, number[]>();
  for (const { at, agentId } of calls) {
    const index = days.indexOf(at.slice(0, 10));
    if (!agentId || index < 0) continue;
    const found = counts.get(agentId) ?? days.map(() => 0);
    found[index]! += 1;
    counts.set(agentId, found);
  }
  return counts;
}

// What the month will have cost if its other days are like those so far.
export function forecast(costSoFar: number): number {
  const today = new Date();
  const length = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0)).getUTCDate();
  const passed = today.getUTCDate() - 1 + today.getUTCHours() / 24;
  return passed > 0.5 ? (costSoFar / passed) * length : costSoFar;
}
